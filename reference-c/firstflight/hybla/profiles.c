/* Readings and profiles of Hybla. Generated from spec/hybla/profiles.toml by `make generate`; do not edit. */
#include "firstflight/hybla/profiles.h"

const struct ff_hybla_profile ff_hybla_profiles[FF_HYBLA_PROFILE_COUNT] = {
    {"linux",
     {.arithmetic = FF_HYBLA_ARITHMETIC_EIGHTHS, .rtt = FF_HYBLA_RTT_SMOOTHED, .reference_ms = 25,
      .unit = FF_HYBLA_UNIT_ACK, .gain = FF_HYBLA_GAIN_DATAGRAMS}},
    {"ns-3",
     {.arithmetic = FF_HYBLA_ARITHMETIC_FIXED, .rtt = FF_HYBLA_RTT_MINIMUM, .reference_ms = 50,
      .unit = FF_HYBLA_UNIT_MIXED, .gain = FF_HYBLA_GAIN_MIXED}},
};
