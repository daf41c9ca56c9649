/* Readings and profiles of Quick-Start. Generated from spec/quick-start/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_QUICK_START_PROFILES_H
#define FIRSTFLIGHT_QUICK_START_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which packet carries the first request? (Q2) */
enum {
    FF_QUICK_START_FIRST_REQUEST_HANDSHAKE = 0, /* one of the handshake: the answer is there with the first data */
    FF_QUICK_START_FIRST_REQUEST_DATA = 1, /* the first data packet: the answer comes with its ACK, an RTT later */
};

/* How does slow start continue after an approved rate was used? (Q4) */
enum {
    FF_QUICK_START_GROWTH_LIMITED = 0, /* as Limited Slow-Start, packet by packet */
    FF_QUICK_START_GROWTH_STANDARD = 1, /* as in the base controller */
};

/* What is the smallest window after the end of Quick-Start mode? (Q5) */
enum {
    FF_QUICK_START_LEAST_USED_MINIMUM_WINDOW = 0, /* two datagrams */
    FF_QUICK_START_LEAST_USED_USUAL_WINDOW = 1, /* the window before Quick-Start mode */
};

/* What becomes of the threshold when a Quick-Start packet is lost? (Q6) */
enum {
    FF_QUICK_START_LOSS_THRESHOLD_HALF_DELIVERED = 0, /* at most half of those sent and not declared lost, counted anew with each loss */
    FF_QUICK_START_LOSS_THRESHOLD_KEPT = 1, /* it stays */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_quick_start_readings {
    uint8_t rate_code;
    uint8_t first_request;
    uint8_t header_bytes;
    uint8_t growth;
    uint8_t least_used;
    uint8_t loss_threshold;
};

struct ff_quick_start_profile {
    const char *name;
    struct ff_quick_start_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_QUICK_START_PROFILE_RFC_4782 = 0,
    FF_QUICK_START_PROFILE_RFC_4782_REFUSED = 1,
    FF_QUICK_START_PROFILE_RFC_4782_DATA = 2,
    FF_QUICK_START_PROFILE_NETWORKING_2009 = 3,
    FF_QUICK_START_PROFILE_NS_2 = 4,
};

#define FF_QUICK_START_PROFILE_COUNT 5
extern const struct ff_quick_start_profile ff_quick_start_profiles[FF_QUICK_START_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
