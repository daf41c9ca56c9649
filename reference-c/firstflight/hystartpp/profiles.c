/* Readings and profiles of HyStart++. Generated from spec/hystartpp/profiles.toml by `make generate`; do not edit. */
#include "firstflight/hystartpp/profiles.h"

const struct ff_hystartpp_profile ff_hystartpp_profiles[FF_HYSTARTPP_PROFILE_COUNT] = {
    {"rfc-9406",
     {.limit_datagrams = 0, .css_samples = FF_HYSTARTPP_CSS_SAMPLES_EIGHT, .css_rounds = 5,
      .scope = FF_HYSTARTPP_SCOPE_INITIAL}},
    {"rfc-9406-unpaced",
     {.limit_datagrams = 8, .css_samples = FF_HYSTARTPP_CSS_SAMPLES_EIGHT, .css_rounds = 5,
      .scope = FF_HYSTARTPP_SCOPE_INITIAL}},
    {"ngtcp2",
     {.limit_datagrams = 0, .css_samples = FF_HYSTARTPP_CSS_SAMPLES_ANY, .css_rounds = 4,
      .scope = FF_HYSTARTPP_SCOPE_EVERY}},
};
