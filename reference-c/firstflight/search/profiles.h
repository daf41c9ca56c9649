/* Readings and profiles of SEARCH. Generated from spec/search/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_SEARCH_PROFILES_H
#define FIRSTFLIGHT_SEARCH_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which unit does the implementation count time? (A23) */
enum {
    FF_SEARCH_CLOCK_NS = 0, /* nanoseconds */
    FF_SEARCH_CLOCK_US = 1, /* whole microseconds; times and RTTs are rounded down */
    FF_SEARCH_CLOCK_MS = 2, /* whole milliseconds; times and RTTs are rounded down */
};

/* How is the bin duration, 35 % of the initial RTT, rounded? (A21) */
enum {
    FF_SEARCH_BIN_DURATION_EXACT = 0, /* 7/20 of the RTT, exactly */
    FF_SEARCH_BIN_DURATION_CLOCK = 1, /* rounded down to the unit of the clock, at least one */
    FF_SEARCH_BIN_DURATION_CLOCK_OR_RESTART = 2, /* rounded down to the unit of the clock; where that gives 0, every ACK starts SEARCH again */
};

/* Which RTT sample gives the bin duration? (A19) */
enum {
    FF_SEARCH_INITIAL_RTT_AT_START = 0, /* the sample of the ACK that starts SEARCH, or the last sample before this ACK */
    FF_SEARCH_INITIAL_RTT_FIRST_SAMPLE = 1, /* the first sample in slow start, even if its ACK is skipped */
};

/* Do the bytes of the ACK that starts SEARCH count in bin 0? (A19) */
enum {
    FF_SEARCH_FIRST_ACK_IN_BIN_0 = 0, /* yes */
    FF_SEARCH_FIRST_ACK_BEFORE_BIN_0 = 1, /* no */
};

/* What does an ACK without RTT sample do? (A8) */
enum {
    FF_SEARCH_MISSING_RTT_REUSE = 0, /* it counts like any other; the last sample of the connection is used again */
    FF_SEARCH_MISSING_RTT_SKIP = 1, /* its bytes count, but it ends no bin and is not evaluated */
};

/* Are the bytes of app-limited ACKs counted? (A20) */
enum {
    FF_SEARCH_APP_LIMITED_COUNT = 0, /* yes, like any other */
    FF_SEARCH_APP_LIMITED_SKIP = 1, /* no: neither bytes nor bins */
    FF_SEARCH_APP_LIMITED_COUNT_BYTES = 2, /* their bytes count, but they start nothing, end no bin and are not evaluated */
    FF_SEARCH_APP_LIMITED_RESTART = 3, /* one that ends a bin starts SEARCH again, with the same bin duration */
};

/* In which phases are bytes counted? (A25) */
enum {
    FF_SEARCH_COUNTED_IN_SLOW_START = 0, /* only in slow start */
    FF_SEARCH_COUNTED_IN_EVERY_PHASE = 1, /* always: the counters cover the whole connection */
};

/* With which bytes of the earlier window are the bytes delivered in the later window compared? (A12) */
enum {
    FF_SEARCH_COMPARED_DELIVERED = 0, /* twice the bytes delivered in the earlier window */
    FF_SEARCH_COMPARED_SENT = 1, /* the bytes sent in the earlier window */
};

/* To which bin are the bytes of an ACK added if this ACK ends a bin? (A6) */
enum {
    FF_SEARCH_CROSSING_CREDIT_NEW_BIN = 0, /* to the new one; the evaluation does not see them */
    FF_SEARCH_CROSSING_CREDIT_LAST_BIN = 1, /* to the last bin that ends, and with them all that was delivered since the bin before; the evaluation sees them */
};

/* When are the windows evaluated? (A6) */
enum {
    FF_SEARCH_EVALUATED_AT_BOUNDARY = 0, /* when a bin ends */
    FF_SEARCH_EVALUATED_EVERY_ACK = 1, /* at every ACK, the open bin counted as far as it is filled */
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

/* How many bins end with an ACK that comes late? (A4) */
enum {
    FF_SEARCH_ENDED_BINS_EACH_TESTED = 0, /* each bin that passes the test of the reading boundary */
    FF_SEARCH_ENDED_BINS_FORMULA = 1, /* floor((now - bin_end) / bin duration) + 1: where now is the end of a later bin, that bin too */
};

/* How does SEARCH start again after too many missed bins? (A20) */
enum {
    FF_SEARCH_MISSED_BINS_RESTART_NOW = 0, /* with this ACK: its RTT is the initial RTT */
    FF_SEARCH_MISSED_BINS_RESTART_NOW_OLD_DURATION = 1, /* with this ACK: after more than ten bins its RTT is the initial RTT, otherwise the bin duration stays */
    FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK = 2, /* with the next ACK */
    FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK_THIS_RTT = 3, /* with the next ACK, but this one's RTT is the initial RTT; its bytes are not counted */
};

/* What becomes of the byte counters when SEARCH starts again? (A25) */
enum {
    FF_SEARCH_RESTART_COUNTERS_KEPT = 0, /* they go on */
    FF_SEARCH_RESTART_COUNTERS_ZEROED = 1, /* they begin at 0 */
};

/* By which RTT is the earlier window shifted back? (A8) */
enum {
    FF_SEARCH_RTT_LATEST = 0, /* the latest sample */
    FF_SEARCH_RTT_SMOOTHED = 1, /* the smoothed RTT */
    FF_SEARCH_RTT_MINIMUM = 2, /* the minimum RTT */
};

/* Is the acknowledgement delay subtracted from the latest RTT sample? (A8) */
enum {
    FF_SEARCH_ACK_DELAY_KEPT = 0, /* no: the sample as measured */
    FF_SEARCH_ACK_DELAY_OFF_AT_LEAST = 1, /* yes, where at least the minimum RTT is left */
    FF_SEARCH_ACK_DELAY_OFF_ABOVE = 2, /* yes, where more than the minimum RTT is left */
    FF_SEARCH_ACK_DELAY_OFF_ABOVE_NEAREST = 3, /* yes, rounded to the nearest unit of the clock, where more than the minimum RTT, at least one unit, is left */
};

/* How is the shift, RTT / BIN_DURATION, rounded to a whole number of bins? (A1) */
enum {
    FF_SEARCH_SHIFT_FLOOR = 0, /* rounded down */
    FF_SEARCH_SHIFT_NEAREST = 1, /* to the nearest, a tie down */
    FF_SEARCH_SHIFT_NEAREST_UP = 2, /* to the nearest, a tie up */
};

/* What happens to the fraction of a bin that remains after the RTT is divided by the bin duration? (A1) */
enum {
    FF_SEARCH_INTERPOLATION_NONE = 0, /* it is dropped */
    FF_SEARCH_INTERPOLATION_BACKWARD = 1, /* the earlier window moves further back by it */
    FF_SEARCH_INTERPOLATION_FORWARD = 2, /* the earlier window moves forward by it */
};

/* How exact is the interpolation between two neighbouring windows? (A1) */
enum {
    FF_SEARCH_FRACTION_EXACT = 0, /* exact */
    FF_SEARCH_FRACTION_ROUNDED_DOWN = 1, /* exact, and the sum is rounded down */
    FF_SEARCH_FRACTION_PERCENT = 2, /* the fraction is a whole percentage, rounded down; the sum is rounded down once */
    FF_SEARCH_FRACTION_PERCENT_TERMS = 3, /* the fraction is a whole percentage, rounded down; each of its two bins is rounded down */
};

/* How wide is the integer variable that contains the shift, the RTT as a number of bins? (A22) */
enum {
    FF_SEARCH_SHIFT_WIDTH_FULL = 0, /* wide enough */
    FF_SEARCH_SHIFT_WIDTH_EIGHT_BITS = 1, /* eight bits: the shift is taken modulo 256 */
};

/* How large must prev, the index of the earlier window, be for an evaluation? (A7) */
enum {
    FF_SEARCH_GUARD_AT_LEAST = 0, /* prev >= 10 */
    FF_SEARCH_GUARD_MORE_THAN = 1, /* prev > 10 */
};

/* Which bins form the window with index i? (A2) */
enum {
    FF_SEARCH_WINDOWS_THROUGH_OPEN = 0, /* eleven: i - 10 to i, the open bin curr_idx among them */
    FF_SEARCH_WINDOWS_COMPLETED = 1, /* ten: i - 10 to i - 1, all completed */
    FF_SEARCH_WINDOWS_LIVE = 2, /* ten: i - 9 to i, the open bin among them */
};

/* In a ring of 25 slots, which bin does a read of the bin 25 bins back return? (A3) */
enum {
    FF_SEARCH_RING_AMPLE = 0, /* no evaluation reaches it */
    FF_SEARCH_RING_OPEN_BIN = 1, /* the open bin: the two share a slot of the ring of 25 */
    FF_SEARCH_RING_NEWEST_BIN = 2, /* the newest completed bin: the two share a slot of the ring of 25 */
};

/* Which completed bins keep their bytes when an ACK ends bins? (A2) */
enum {
    FF_SEARCH_KEPT_BINS_ALL = 0, /* all */
    FF_SEARCH_KEPT_BINS_NEWEST = 1, /* only the newest: the loop that empties skipped bins empties every bin before it */
};

/* Which total of delivered or sent bytes counts at the start of bin -1, the bin before the first? (A7) */
enum {
    FF_SEARCH_BEFORE_BIN_0_NEVER_READ = 0, /* it is never read */
    FF_SEARCH_BEFORE_BIN_0_ZERO = 1, /* 0 */
};

/* How exact are the byte counters from which SEARCH computes the bytes of its windows of bins? (A16) */
enum {
    FF_SEARCH_PRECISION_FULL = 0, /* exact */
    FF_SEARCH_PRECISION_SHIFTED_16 = 1, /* 16 bits: the counters shifted right so far that the largest fits */
};

/* At which (e - d) / e does slow start end, with d bytes delivered and e expected from one RTT before? (A14) */
enum {
    FF_SEARCH_DIFFERENCE_SEVEN_TWENTIETHS = 0, /* 0.35 */
    FF_SEARCH_DIFFERENCE_THIRTEEN_FIFTIETHS = 1, /* 0.26 */
};

/* Does slow start end if (e - d) / e equals its threshold, with d bytes delivered and e expected? (A12) */
enum {
    FF_SEARCH_THRESHOLD_AT_LEAST = 0, /* yes */
    FF_SEARCH_THRESHOLD_MORE_THAN = 1, /* no */
};

/* How does the difference (e - d) / e of expected and delivered bytes count if d is 0? (A10) */
enum {
    FF_SEARCH_CURRENT_ZERO_DECIDES = 0, /* the difference is 1: exit */
    FF_SEARCH_CURRENT_ZERO_NO_DECISION = 1, /* no decision */
};

/* In how many last bins are the bytes of the overshoot, the bytes delivered in the last two RTTs? (A13) */
enum {
    FF_SEARCH_ROLLBACK_NONE = 0, /* there is none */
    FF_SEARCH_ROLLBACK_FLOOR = 1, /* 5: 40/7 with the initial RTT, rounded down */
    FF_SEARCH_ROLLBACK_NEAREST = 2, /* 6: 40/7 with the initial RTT, to the nearest */
    FF_SEARCH_ROLLBACK_CURRENT_RTT = 3, /* twice the whole bins in the current RTT */
};

/* Which quantities does the exit from slow start lower? (A17) */
enum {
    FF_SEARCH_LOWER_WINDOW_AND_THRESHOLD = 0, /* cwnd and ssthresh become cwnd - overshoot */
    FF_SEARCH_LOWER_THRESHOLD_ONLY = 1, /* ssthresh becomes cwnd - overshoot, cwnd stays */
    FF_SEARCH_LOWER_NOTHING = 2, /* ssthresh becomes cwnd */
    FF_SEARCH_LOWER_DRAIN = 3, /* first, neither: the flight is drained to a target, which then becomes cwnd and ssthresh */
};

/* In which unit does the drain, a decrease of the bytes in flight before slow start ends, count? (A16) */
enum {
    FF_SEARCH_DRAIN_UNIT_PACKETS = 0, /* packets: one leaves for three acknowledged; the target is in bytes */
    FF_SEARCH_DRAIN_UNIT_WHOLE_PACKETS = 1, /* packets, and the target is rounded down to whole ones */
    FF_SEARCH_DRAIN_UNIT_BYTES = 2, /* bytes: one datagram leaves for three datagrams of bytes acknowledged */
};

/* What if the overshoot is larger than the window? (A15) */
enum {
    FF_SEARCH_WINDOW_FLOOR_ZERO = 0, /* the window becomes 0 */
    FF_SEARCH_WINDOW_FLOOR_MINIMUM = 1, /* the window does not go below the minimum window */
    FF_SEARCH_WINDOW_FLOOR_UNCHANGED = 2, /* the window stays as it was, and is at least the minimum window */
};

/* Does the ACK that ends slow start, at once or after a drain of the flight, still grow the window? (A24) */
enum {
    FF_SEARCH_EXIT_GROWTH_NONE = 0, /* no */
    FF_SEARCH_EXIT_GROWTH_AVOIDANCE = 1, /* yes, as congestion avoidance does */
    FF_SEARCH_EXIT_GROWTH_SLOW_START = 2, /* yes, as slow start does, before the exit lowers the window */
};

/* If the ACK that ends slow start also completes a bin, is that bin closed? (A24) */
enum {
    FF_SEARCH_EXIT_BIN_ENDS = 0, /* yes, and the bytes of the ACK count as in any other bin */
    FF_SEARCH_EXIT_BIN_LEFT_OPEN = 1, /* no: it stays open with its old end, and the bytes of the ACK are not counted */
};

/* What becomes of the bins when persistent congestion leads back to slow start? (A25) */
enum {
    FF_SEARCH_PERSISTENT_RESUME = 0, /* they are kept: initialisation happens once */
    FF_SEARCH_PERSISTENT_REINITIALISE = 1, /* SEARCH starts again with the next ACK */
};

/* What becomes of the bins when the connection was idle so long that its window is not validated any more? (A25) */
enum {
    FF_SEARCH_IDLE_RESTART_KEPT = 0, /* they are kept */
    FF_SEARCH_IDLE_RESTART_REINITIALISE = 1, /* SEARCH starts again with the next ACK, whose RTT is the initial RTT */
};

/* In which slow starts does SEARCH run? (A25) */
enum {
    FF_SEARCH_SLOW_STARTS_EVERY = 0, /* in each */
    FF_SEARCH_SLOW_STARTS_UNBOUNDED = 1, /* only while the threshold is infinite */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_search_readings {
    uint8_t clock;
    uint8_t bin_duration;
    uint8_t initial_rtt;
    uint8_t first_ack;
    uint8_t missing_rtt;
    uint8_t app_limited;
    uint8_t counted_in;
    uint8_t compared;
    uint8_t crossing_credit;
    uint8_t evaluated;
    uint8_t catch_up;
    uint8_t boundary;
    uint8_t ended_bins;
    uint8_t missed_bins_maximum;
    uint8_t missed_bins_restart;
    uint8_t restart_counters;
    uint8_t rtt;
    uint8_t ack_delay;
    uint8_t shift;
    uint8_t interpolation;
    uint8_t fraction;
    uint8_t shift_width;
    uint8_t shift_minimum_bins;
    uint8_t shift_maximum_bins;
    uint8_t guard;
    uint8_t windows;
    uint8_t ring;
    uint8_t kept_bins;
    uint8_t before_bin_0;
    uint8_t precision;
    uint8_t difference;
    uint8_t threshold;
    uint8_t current_zero;
    uint8_t rollback;
    uint8_t lower;
    uint8_t drain_unit;
    uint8_t window_floor;
    uint8_t exit_growth;
    uint8_t exit_bin;
    uint8_t persistent;
    uint8_t idle_restart;
    uint8_t slow_starts;
};

struct ff_search_profile {
    const char *name;
    struct ff_search_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_SEARCH_PROFILE_LANMAN_2024_LITERAL = 0,
    FF_SEARCH_PROFILE_LANMAN_2024 = 1,
    FF_SEARCH_PROFILE_REPORT_2024_LITERAL = 2,
    FF_SEARCH_PROFILE_REPORT_2024 = 3,
    FF_SEARCH_PROFILE_DRAFT_00 = 4,
    FF_SEARCH_PROFILE_DRAFT_00_LITERAL = 5,
    FF_SEARCH_PROFILE_DRAFT_09 = 6,
    FF_SEARCH_PROFILE_QUICLY_PR583 = 7,
    FF_SEARCH_PROFILE_LINUX_3 = 8,
    FF_SEARCH_PROFILE_LINUX_3_1 = 9,
    FF_SEARCH_PROFILE_LINUX_4 = 10,
    FF_SEARCH_PROFILE_FREEBSD_4 = 11,
    FF_SEARCH_PROFILE_NEQO_2026 = 12,
    FF_SEARCH_PROFILE_PICOQUIC_FORK = 13,
};

#define FF_SEARCH_PROFILE_COUNT 14
extern const struct ff_search_profile ff_search_profiles[FF_SEARCH_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
