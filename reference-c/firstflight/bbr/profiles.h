/* Readings and profiles of BBR. Generated from spec/bbr/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_BBR_PROFILES_H
#define FIRSTFLIGHT_BBR_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is held against 5/4 of the baseline at the start of a round? (B1) */
enum {
    FF_BBR_GROWTH_OF_SAMPLE = 0, /* the delivery rate of the ACK that begins the round */
    FF_BBR_GROWTH_OF_MAX_BW = 1, /* the largest delivery rate so far */
};

/* What is the initial pacing rate computed from, where the connection began without an RTT? (B2) */
enum {
    FF_BBR_INITIAL_RATE_FIRST_SAMPLE = 0, /* 1 ms, and at the first ACK with an RTT from that */
    FF_BBR_INITIAL_RATE_ONCE = 1, /* 1 ms */
};

/* After how many rounds does Drain end whatever is in flight? (B4) */
enum {
    FF_BBR_DRAIN_ROUNDS_FOURTH = 0, /* when more than three have begun since */
    FF_BBR_DRAIN_ROUNDS_THIRD = 1, /* when three have begun since */
    FF_BBR_DRAIN_ROUNDS_NEVER = 2, /* it waits for the bytes in flight */
};

/* Which bounds limit the window in Drain? (B5) */
enum {
    FF_BBR_DRAIN_CAP_SHORT_TERM = 0, /* inflight_shortterm */
    FF_BBR_DRAIN_CAP_BOTH = 1, /* inflight_shortterm and inflight_longterm */
};

/* When is the state saved that a spurious recovery restores? (B6) */
enum {
    FF_BBR_SAVED_ROUNDS = 0, /* where recovery begins, and at the first loss of each round */
    FF_BBR_SAVED_EPISODES = 1, /* where recovery begins */
};

/* A choice for every reading. */
struct ff_bbr_readings {
    uint8_t growth_of;
    uint8_t initial_rate;
    uint8_t offload_quanta;
    uint8_t drain_rounds;
    uint8_t drain_cap;
    uint8_t saved;
    uint8_t loss_exit_count;
};

struct ff_bbr_profile {
    const char *name;
    struct ff_bbr_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_BBR_PROFILE_DRAFT_06 = 0,
    FF_BBR_PROFILE_DRAFT_06_PROSE = 1,
};

#define FF_BBR_PROFILE_COUNT 2
extern const struct ff_bbr_profile ff_bbr_profiles[FF_BBR_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
