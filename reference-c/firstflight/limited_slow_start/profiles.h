/* Readings and profiles of Limited Slow-Start. Generated from spec/limited-slow-start/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_LIMITED_SLOW_START_PROFILES_H
#define FIRSTFLIGHT_LIMITED_SLOW_START_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does slow start grow the window for each ACK or for each acknowledged packet? (L1) */
enum {
    FF_LIMITED_SLOW_START_UNIT_ACK = 0, /* each ACK, for one datagram */
    FF_LIMITED_SLOW_START_UNIT_PACKET = 1, /* each acknowledged packet, for its bytes */
};

/* How is the growth above max_ssthresh, 1/K of a datagram with K = 2 * cwnd / max_ssthresh, rounded? (L2) */
enum {
    FF_LIMITED_SLOW_START_SHARE_FLOOR = 0, /* K is rounded down, then the share of the unit */
    FF_LIMITED_SLOW_START_SHARE_REMAINDER = 1, /* K is not rounded: half of max_ssthresh is added up for each ACK, and a datagram is gained where the sum reaches the window */
    FF_LIMITED_SLOW_START_SHARE_NEAREST = 2, /* K is not rounded, and the share is rounded to the nearest byte, halves up */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_limited_slow_start_readings {
    uint8_t unit;
    uint8_t share;
    uint8_t max_ssthresh_datagrams;
};

struct ff_limited_slow_start_profile {
    const char *name;
    struct ff_limited_slow_start_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_LIMITED_SLOW_START_PROFILE_RFC_3742 = 0,
    FF_LIMITED_SLOW_START_PROFILE_RFC_3742_PACKETS = 1,
    FF_LIMITED_SLOW_START_PROFILE_LINUX = 2,
    FF_LIMITED_SLOW_START_PROFILE_TOR = 3,
};

#define FF_LIMITED_SLOW_START_PROFILE_COUNT 4
extern const struct ff_limited_slow_start_profile ff_limited_slow_start_profiles[FF_LIMITED_SLOW_START_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
