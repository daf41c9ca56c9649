/* Readings and profiles of NewReno. Generated from spec/profiles/slow-start.toml by `make generate`; do not edit. */
#include "firstflight/slow_start_profiles.h"

const struct ff_slow_start_profile ff_slow_start_profiles[FF_SLOW_START_PROFILE_COUNT] = {
    {
        "rfc-9002",
        {
            .growth = FF_SLOW_START_GROWTH_BYTES,
        },
    },
    {
        "ack-counting",
        {
            .growth = FF_SLOW_START_GROWTH_ACKS,
        },
    },
};
