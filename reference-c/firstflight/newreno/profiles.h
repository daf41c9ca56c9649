/* Readings and profiles of NewReno. Generated from spec/slow-start/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_NEWRENO_PROFILES_H
#define FIRSTFLIGHT_NEWRENO_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is counted for the growth of the window: acknowledged bytes or ACKs? (S1) */
enum {
    FF_NEWRENO_GROWTH_BYTES = 0, /* the bytes acknowledged, packet by packet */
    FF_NEWRENO_GROWTH_ACKS = 1, /* the ACKs: each counts for at most one datagram */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_newreno_readings {
    uint8_t growth;
};

struct ff_newreno_profile {
    const char *name;
    struct ff_newreno_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_NEWRENO_PROFILE_RFC_9002 = 0,
    FF_NEWRENO_PROFILE_ACK_COUNTING = 1,
};

#define FF_NEWRENO_PROFILE_COUNT 2
extern const struct ff_newreno_profile ff_newreno_profiles[FF_NEWRENO_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
