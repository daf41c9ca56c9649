/* Readings and profiles of Limited Slow-Start. Generated from spec/limited-slow-start/profiles.toml by `make generate`; do not edit. */
#include "firstflight/limited_slow_start/profiles.h"

const struct ff_limited_slow_start_profile ff_limited_slow_start_profiles[FF_LIMITED_SLOW_START_PROFILE_COUNT] = {
    {"rfc-3742",
     {.unit = FF_LIMITED_SLOW_START_UNIT_ACK, .share = FF_LIMITED_SLOW_START_SHARE_FLOOR,
      .max_ssthresh_datagrams = 100}},
    {"rfc-3742-packets",
     {.unit = FF_LIMITED_SLOW_START_UNIT_PACKET, .share = FF_LIMITED_SLOW_START_SHARE_FLOOR,
      .max_ssthresh_datagrams = 100}},
    {"linux",
     {.unit = FF_LIMITED_SLOW_START_UNIT_ACK, .share = FF_LIMITED_SLOW_START_SHARE_REMAINDER,
      .max_ssthresh_datagrams = 100}},
    {"tor",
     {.unit = FF_LIMITED_SLOW_START_UNIT_ACK, .share = FF_LIMITED_SLOW_START_SHARE_NEAREST,
      .max_ssthresh_datagrams = 100}},
};
