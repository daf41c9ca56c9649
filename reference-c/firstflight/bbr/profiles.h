/* Readings and profiles of BBR. Generated from spec/bbr/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_BBR_PROFILES_H
#define FIRSTFLIGHT_BBR_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which rate is compared with 5/4 of the baseline, BBR.full_bw, at the start of a round? (B1) */
enum {
    FF_BBR_GROWTH_OF_SAMPLE = 0, /* the delivery rate of the ACK that begins the round */
    FF_BBR_GROWTH_OF_MAX_BW = 1, /* the largest delivery rate so far */
};

/* Which RTT gives the initial pacing rate if the connection began without an RTT sample? (B2) */
enum {
    FF_BBR_INITIAL_RATE_FIRST_SAMPLE = 0, /* 1 ms, and at the first ACK with an RTT from that */
    FF_BBR_INITIAL_RATE_ONCE = 1, /* 1 ms */
};

/* After how many rounds does Drain end, whatever the bytes in flight are? (B4) */
enum {
    FF_BBR_DRAIN_ROUNDS_FOURTH = 0, /* when more than three have begun since */
    FF_BBR_DRAIN_ROUNDS_NEVER = 1, /* it waits for the bytes in flight */
};

/* When does the sender save the state that it restores after a spurious recovery? (B6) */
enum {
    FF_BBR_SAVED_ROUNDS = 0, /* where recovery begins, and at the first loss of each round */
    FF_BBR_SAVED_EPISODES = 1, /* where recovery begins */
};

/* Which pacing and window gains do Startup and Drain have? (B20) */
enum {
    FF_BBR_GAINS_DRAFT_06 = 0, /* 2.77 and 2; 1/2 and 2 */
    FF_BBR_GAINS_LINUX_V1 = 1, /* 739/256 for both; 88/256 and 739/256 */
    FF_BBR_GAINS_LINUX_V3 = 2, /* 710/256 and 2; 88/256 and 2 */
};

/* In which units are rates and volumes counted? (B21) */
enum {
    FF_BBR_UNITS_BYTES = 0, /* bytes and nanoseconds, and rates as fractions of them */
    FF_BBR_UNITS_PACKETS = 1, /* packets and microseconds, as Linux does */
    FF_BBR_UNITS_PACKETS_V3 = 2, /* packets and microseconds, as its third version does */
};

/* Over which period is BBR.max_bw the largest delivery rate? (B22) */
enum {
    FF_BBR_MAX_BW_WINDOW_CONNECTION = 0, /* since the connection began */
    FF_BBR_MAX_BW_WINDOW_TEN_ROUNDS = 1, /* ten rounds, by an estimate that keeps three rates */
};

/* How is a rate sample used if its interval is shorter than the smallest RTT? (B23) */
enum {
    FF_BBR_SHORT_SAMPLE_NO_RATE = 0, /* its rate is 0, and the rest counts */
    FF_BBR_SHORT_SAMPLE_NOTHING = 1, /* the sample is ignored: it begins no round */
};

/* When does BBR.bw, the bandwidth estimate, change? (B24) */
enum {
    FF_BBR_BW_CHANGES_END = 0, /* at the end of an ACK */
    FF_BBR_BW_CHANGES_AT_ONCE = 1, /* with BBR.max_bw */
};

/* Over which rounds is BBR.extra_acked the maximum, and when does it increase the window? (B25) */
enum {
    FF_BBR_EXTRA_ACKED_DRAFT_06 = 0, /* in Startup this round; later the last ten */
    FF_BBR_EXTRA_ACKED_LINUX = 1, /* in Startup none; later five to ten rounds, at most the bytes that BBR.bw delivers in 100 ms */
    FF_BBR_EXTRA_ACKED_LINUX_V3 = 2, /* in Startup two rounds; later five to ten; at most the bytes that BBR.bw delivers in 100 ms */
};

/* How do losses and ECN-CE marks change the window? (B26) */
enum {
    FF_BBR_LOSSES_BOUNDS = 0, /* they lower the short-term bounds, outside of Startup */
    FF_BBR_LOSSES_CONSERVATION = 1, /* losses lower it by the lost bytes; in the first round of a recovery as much is sent as is acknowledged; marks do nothing */
    FF_BBR_LOSSES_LINUX_V3 = 2, /* they lower the bounds as its third version does; marks do nothing; only the recovery of a timeout restores the window */
};

/* What is compared with BBR.bw times BBR.min_rtt to end Drain? (B27) */
enum {
    FF_BBR_DRAIN_COMPARES_IN_FLIGHT = 0, /* the bytes in flight */
    FF_BBR_DRAIN_COMPARES_AT_DEPARTURE = 1, /* the bytes in flight at the next departure, including the next packets if the same ACK ends Startup */
};

/* Does the sender have a slow start threshold? (B28) */
enum {
    FF_BBR_THRESHOLD_NONE = 0, /* no */
    FF_BBR_THRESHOLD_EXIT = 1, /* the product and its budget, where Startup ends */
};

/* Over which period is BBR.min_rtt the smallest RTT sample? (B29) */
enum {
    FF_BBR_MIN_RTT_WINDOW_TWO = 0, /* 10 s, computed from the smallest RTT of 5 s */
    FF_BBR_MIN_RTT_WINDOW_TWO_LINUX = 1, /* the same, initially the minimum RTT of the connection; an equal RTT renews it */
    FF_BBR_MIN_RTT_WINDOW_ONE = 2, /* 10 s */
};

/* At which ACKs may a higher rate replace BBR.full_bw, the baseline of the test for a full pipe? (B30) */
enum {
    FF_BBR_GROWTH_AT_ROUND = 0, /* at those that begin a round */
    FF_BBR_GROWTH_AT_ACK = 1, /* at any */
};

/* Which losses in a round are counted for the exit from Startup by loss? (B31) */
enum {
    FF_BBR_LOSS_EXIT_COUNTS_RANGES = 0, /* separate ranges of lost packets */
    FF_BBR_LOSS_EXIT_COUNTS_ACKS = 1, /* ACKs that report losses */
};

/* In which recovery may losses end Startup? (B32) */
enum {
    FF_BBR_LOSS_EXIT_RECOVERY_FULL_ROUND = 0, /* in one that has lasted for a round when the ACK comes */
    FF_BBR_LOSS_EXIT_RECOVERY_GOES_ON = 1, /* in one that the ACK does not end */
};

/* Until when does the window of Startup grow without a limit from the path? (B33) */
enum {
    FF_BBR_FIRST_WINDOW_DELIVERED = 0, /* until the initial window was delivered */
    FF_BBR_FIRST_WINDOW_TWICE = 1, /* while it is below twice the initial one */
};

/* What does an app-limited sample below BBR.max_bw change once cwnd has reached BBR.max_inflight? (B34) */
enum {
    FF_BBR_APP_LIMITED_ACKS_COUNTED = 0, /* whatever another does */
    FF_BBR_APP_LIMITED_ACKS_LINUX_V3 = 1, /* rounds, Drain, the smallest RTT, the latest rate and volume, and the long-term volume */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_bbr_readings {
    uint8_t growth_of;
    uint8_t initial_rate;
    uint8_t offload_quanta;
    uint8_t drain_rounds;
    uint8_t saved;
    uint8_t loss_exit_count;
    uint8_t gains;
    uint8_t units;
    uint8_t max_bw_window;
    uint8_t short_sample;
    uint8_t bw_changes;
    uint8_t extra_acked;
    uint8_t losses;
    uint8_t drain_compares;
    uint8_t threshold;
    uint8_t min_rtt_window;
    uint8_t growth_at;
    uint8_t loss_exit_counts;
    uint8_t loss_exit_recovery;
    uint8_t first_window;
    uint8_t app_limited_acks;
};

struct ff_bbr_profile {
    const char *name;
    struct ff_bbr_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_BBR_PROFILE_DRAFT_06 = 0,
    FF_BBR_PROFILE_LINUX_V1 = 1,
    FF_BBR_PROFILE_LINUX_V3 = 2,
};

#define FF_BBR_PROFILE_COUNT 3
extern const struct ff_bbr_profile ff_bbr_profiles[FF_BBR_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
