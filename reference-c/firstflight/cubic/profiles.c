/* Readings and profiles of CUBIC. Generated from spec/cubic/profiles.toml by `make generate`; do not edit. */
#include "firstflight/cubic/profiles.h"

const struct ff_cubic_profile ff_cubic_profiles[FF_CUBIC_PROFILE_COUNT] = {
    {"rfc-9438",
     {.growth = FF_CUBIC_GROWTH_BYTES, .reduction_basis = FF_CUBIC_REDUCTION_BASIS_WINDOW,
      .ce_minimum = FF_CUBIC_CE_MINIMUM_ONE_DATAGRAM, .spurious = FF_CUBIC_SPURIOUS_RESTORED,
      .slow_start_end = FF_CUBIC_SLOW_START_END_AT}},
    {"rfc-9438-literal",
     {.growth = FF_CUBIC_GROWTH_ACKS, .reduction_basis = FF_CUBIC_REDUCTION_BASIS_FLIGHT,
      .ce_minimum = FF_CUBIC_CE_MINIMUM_ONE_DATAGRAM, .spurious = FF_CUBIC_SPURIOUS_RESTORED,
      .slow_start_end = FF_CUBIC_SLOW_START_END_ABOVE}},
};
