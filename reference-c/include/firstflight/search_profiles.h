/* Readings and profiles of SEARCH. Generated from spec/profiles/search.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_SEARCH_PROFILES_H
#define FIRSTFLIGHT_SEARCH_PROFILES_H

#include <stddef.h>
#include <stdint.h>

/* How does RTT / BIN_DURATION become a whole number of bins? (A1) */
enum {
    FF_SEARCH_SHIFT_FLOOR = 0, /* rounded down */
    FF_SEARCH_SHIFT_NEAREST = 1, /* to the nearest, a tie down */
    FF_SEARCH_SHIFT_NEAREST_UP = 2, /* to the nearest, a tie up */
};

/* Which bins make a window? (A2) */
enum {
    FF_SEARCH_WINDOWS_THROUGH_OPEN = 0, /* eleven: i - 10 to i, the open bin curr_idx among them */
    FF_SEARCH_WINDOWS_COMPLETED = 1, /* ten: i - 10 to i - 1, all completed */
};

/* What if an ACK comes several bins after the end of the open one? (A4) */
enum {
    FF_SEARCH_CATCH_UP_ONE = 0, /* one step per ACK */
    FF_SEARCH_CATCH_UP_ALL = 1, /* all steps at once, one evaluation after the last */
};

/* Does an ACK at the very end of a bin belong to it? (A5) */
enum {
    FF_SEARCH_BOUNDARY_AFTER = 0, /* yes: the bin ends when now > bin_end */
    FF_SEARCH_BOUNDARY_AT = 1, /* no: it ends when now >= bin_end */
};

/* How many bins must precede the shifted window? (A7) */
enum {
    FF_SEARCH_GUARD_AT_LEAST = 0, /* prev_idx >= 10 */
    FF_SEARCH_GUARD_MORE_THAN = 1, /* prev_idx > 10 */
};

/* Does a difference of exactly 7/20 end slow start? (A12) */
enum {
    FF_SEARCH_THRESHOLD_AT_LEAST = 0, /* yes: norm_diff >= 7/20 */
    FF_SEARCH_THRESHOLD_MORE_THAN = 1, /* no: norm_diff > 7/20 */
};

/* To which bin do the bytes of the ACK belong that ends a bin? (A6) */
enum {
    FF_SEARCH_CROSSING_CREDIT_NEW_BIN = 0, /* to the new one; the evaluation does not see them */
    FF_SEARCH_CROSSING_CREDIT_COMPLETED_BIN = 1, /* to the one that ends; the evaluation sees them */
};

/* How does 2 * Initial_RTT / BIN_DURATION = 40/7 become a whole number of bins? (A13) */
enum {
    FF_SEARCH_ROLLBACK_FLOOR = 0, /* 5 */
    FF_SEARCH_ROLLBACK_NEAREST = 1, /* 6 */
};

/* What is lowered at the exit? (A17) */
enum {
    FF_SEARCH_LOWER_WINDOW_AND_THRESHOLD = 0, /* cwnd and ssthresh become cwnd - overshoot */
    FF_SEARCH_LOWER_THRESHOLD_ONLY = 1, /* ssthresh becomes cwnd - overshoot, cwnd stays */
    FF_SEARCH_LOWER_NOTHING = 2, /* ssthresh becomes cwnd */
};

/* What if the overshoot is larger than the window? (A15) */
enum {
    FF_SEARCH_WINDOW_FLOOR_ZERO = 0, /* the window becomes 0 */
    FF_SEARCH_WINDOW_FLOOR_MINIMUM = 1, /* the window does not go below the minimum window */
};

/* Does the ACK that ends slow start still grow the window? (A24) */
enum {
    FF_SEARCH_EXIT_GROWTH_NONE = 0, /* no */
    FF_SEARCH_EXIT_GROWTH_AVOIDANCE = 1, /* yes, as congestion avoidance does */
    FF_SEARCH_EXIT_GROWTH_SLOW_START = 2, /* yes, as slow start does, before the exit lowers the window */
};

/* Which RTT shifts the window? (A8) */
enum {
    FF_SEARCH_RTT_LATEST = 0, /* the latest sample */
    FF_SEARCH_RTT_SMOOTHED = 1, /* the smoothed RTT */
    FF_SEARCH_RTT_MINIMUM = 2, /* the minimum RTT */
};

/* Do app-limited ACKs count? (A20) */
enum {
    FF_SEARCH_APP_LIMITED_COUNT = 0, /* yes, like any other */
    FF_SEARCH_APP_LIMITED_SKIP = 1, /* no: neither bytes nor bins */
};

/* What becomes of the bins when persistent congestion leads back to slow start? (A25) */
enum {
    FF_SEARCH_RESTART_RESUME = 0, /* they are kept: initialisation happens once */
    FF_SEARCH_RESTART_REINITIALISE = 1, /* SEARCH starts again with the next ACK */
};

/* A choice for every reading. */
struct ff_search_readings {
    uint8_t shift;
    uint8_t shift_minimum_bins;
    uint8_t shift_maximum_bins;
    uint8_t windows;
    uint8_t catch_up;
    uint8_t boundary;
    uint8_t guard;
    uint8_t threshold;
    uint8_t crossing_credit;
    uint8_t rollback;
    uint8_t lower;
    uint8_t window_floor;
    uint8_t exit_growth;
    uint8_t rtt;
    uint8_t app_limited;
    uint8_t restart;
};

struct ff_search_profile {
    const char *name;
    struct ff_search_readings readings;
};

#define FF_SEARCH_PROFILE_COUNT 2
extern const struct ff_search_profile ff_search_profiles[FF_SEARCH_PROFILE_COUNT];

#endif
