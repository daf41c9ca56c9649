/* Readings and profiles of CUBIC. Generated from spec/cubic/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_CUBIC_PROFILES_H
#define FIRSTFLIGHT_CUBIC_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the window grow towards its target for each acknowledged datagram or for each ACK? (U1) */
enum {
    FF_CUBIC_GROWTH_BYTES = 0, /* for every datagram acknowledged, in proportion to the bytes */
    FF_CUBIC_GROWTH_ACKS = 1, /* for every ACK, whatever it acknowledges */
};

/* Which quantity does congestion reduce to seven tenths? (U3) */
enum {
    FF_CUBIC_REDUCTION_BASIS_WINDOW = 0, /* the window */
    FF_CUBIC_REDUCTION_BASIS_FLIGHT = 1, /* the bytes in flight before the event */
};

/* What is the smallest window that a CE mark leaves? (U4) */
enum {
    FF_CUBIC_CE_MINIMUM_ONE_DATAGRAM = 0, /* one datagram */
    FF_CUBIC_CE_MINIMUM_TWO_DATAGRAMS = 1, /* two datagrams */
};

/* Which state does a spurious loss leave behind? (U7) */
enum {
    FF_CUBIC_SPURIOUS_RESTORED = 0, /* the state saved before the reduction is restored */
    FF_CUBIC_SPURIOUS_KEPT = 1, /* the reduction stays */
};

/* At which window does slow start end? (U9) */
enum {
    FF_CUBIC_SLOW_START_END_AT = 0, /* at the threshold, as in RFC 9002 */
    FF_CUBIC_SLOW_START_END_ABOVE = 1, /* above the threshold, as in RFC 9438 */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_cubic_readings {
    uint8_t growth;
    uint8_t reduction_basis;
    uint8_t ce_minimum;
    uint8_t spurious;
    uint8_t slow_start_end;
};

struct ff_cubic_profile {
    const char *name;
    struct ff_cubic_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_CUBIC_PROFILE_RFC_9438 = 0,
    FF_CUBIC_PROFILE_RFC_9438_LITERAL = 1,
};

#define FF_CUBIC_PROFILE_COUNT 2
extern const struct ff_cubic_profile ff_cubic_profiles[FF_CUBIC_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
