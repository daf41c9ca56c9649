/* Readings and profiles of Rapid Start. Generated from spec/rapid-start/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_RAPID_START_PROFILES_H
#define FIRSTFLIGHT_RAPID_START_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Is K = 2/3 or K = 11/18 in the reduction factors K (1 - beta) and beta + K (1 - beta)? (R1) */
enum {
    FF_RAPID_START_FACTOR_K_TWO_THIRDS = 0, /* 2/3 */
    FF_RAPID_START_FACTOR_K_ELEVEN_EIGHTEENTHS = 1, /* 11/18 */
};

/* Which beta is in the reduction factors K (1 - beta) and beta + K (1 - beta)? (R2) */
enum {
    FF_RAPID_START_BETA_BASE = 0, /* beta of the base controller: 1/2, and 7/10 on CUBIC */
    FF_RAPID_START_BETA_SEVEN_TENTHS = 1, /* 7/10 */
};

/* Above which value of rtt_floor, the smallest recent RTT sample, is a queue building up? (R3) */
enum {
    FF_RAPID_START_QUEUE_THRESHOLD_SMALLER = 0, /* the smaller of min_rtt + 4 ms and 11/10 of min_rtt */
    FF_RAPID_START_QUEUE_THRESHOLD_LARGER = 1, /* the larger of min_rtt + 4 ms and 35/32 of min_rtt */
};

/* Over which samples is rtt_floor the minimum? (R4) */
enum {
    FF_RAPID_START_RTT_FLOOR_ROUND = 0, /* the samples of the round, as HyStart++ counts rounds */
    FF_RAPID_START_RTT_FLOOR_QUARTERS = 1, /* the samples of the last four quarters of min_rtt, including the present quarter */
    FF_RAPID_START_RTT_FLOOR_QUARTERS_USED = 2, /* the same, from ACKs while the window is used */
};

/* Which rules change if min_rtt is below 4 ms? (R5) */
enum {
    FF_RAPID_START_TINY_RTT_KEPT = 0, /* the rules are the same */
    FF_RAPID_START_TINY_RTT_ORDINARY = 1, /* Rapid Start ends: the base controller has its slow start and its first recovery */
};

/* In which unit does the window grow: bytes or whole datagrams? (R6) */
enum {
    FF_RAPID_START_GROWTH_BYTES = 0, /* bytes */
    FF_RAPID_START_GROWTH_DATAGRAMS = 1, /* whole datagrams, one for each whole or half datagram acknowledged, half of one rounded down */
};

/* Which of the bytes declared lost reduce the window? (R7) */
enum {
    FF_RAPID_START_COUNTED_LOSSES_ALL = 0, /* all, rounded once for each event */
    FF_RAPID_START_COUNTED_LOSSES_AFTER_FIRST = 1, /* all but the packet that began recovery, rounded for each packet */
};

/* Do packets sent before recovery reduce the window if the ACK that ends recovery acknowledges them? (R8) */
enum {
    FF_RAPID_START_ENDING_ACK_COUNTED = 0, /* yes */
    FF_RAPID_START_ENDING_ACK_NOT_COUNTED = 1, /* no */
    FF_RAPID_START_ENDING_ACK_AS_A_WHOLE = 2, /* no: all packets of an ACK that has a newer one grow the window */
};

/* Do packets reduce the window if they were sent before recovery and declared lost after recovery? (R9) */
enum {
    FF_RAPID_START_LATE_LOSSES_NOT_COUNTED = 0, /* no */
    FF_RAPID_START_LATE_LOSSES_COUNTED = 1, /* yes, until the next reduction */
};

/* What is the lower bound of the window in recovery? (R10) */
enum {
    FF_RAPID_START_LOWER_BOUND_THIRD = 0, /* beta/3 of the window before, rounded up */
    FF_RAPID_START_LOWER_BOUND_THIRD_OR_INITIAL = 1, /* the larger of that and beta times the initial window, rounded up */
    FF_RAPID_START_LOWER_BOUND_THIRD_OR_HALF_INITIAL = 2, /* the larger of beta/3 of the window before and half the initial window, each rounded down */
};

/* What becomes of the threshold in the first recovery? (R11) */
enum {
    FF_RAPID_START_SSTHRESH_FOLLOWS = 0, /* it is the window after each reduction */
    FF_RAPID_START_SSTHRESH_AT_SIGNALS = 1, /* it is the window after each loss and CE mark, and not after an ACK */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_rapid_start_readings {
    uint8_t factor_k;
    uint8_t beta;
    uint8_t queue_threshold;
    uint8_t rtt_floor;
    uint8_t tiny_rtt;
    uint8_t growth;
    uint8_t counted_losses;
    uint8_t ending_ack;
    uint8_t late_losses;
    uint8_t lower_bound;
    uint8_t ssthresh;
};

struct ff_rapid_start_profile {
    const char *name;
    struct ff_rapid_start_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_RAPID_START_PROFILE_DRAFT_02 = 0,
    FF_RAPID_START_PROFILE_DRAFT_02_INITIAL = 1,
    FF_RAPID_START_PROFILE_DRAFT_00 = 2,
    FF_RAPID_START_PROFILE_QUICLY = 3,
};

#define FF_RAPID_START_PROFILE_COUNT 4
extern const struct ff_rapid_start_profile ff_rapid_start_profiles[FF_RAPID_START_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
