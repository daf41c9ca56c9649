/* Readings and profiles of JumpStart. Generated from spec/jumpstart/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_JUMPSTART_PROFILES_H
#define FIRSTFLIGHT_JUMPSTART_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How large is the first flight? (B1) */
enum {
    FF_JUMPSTART_AMOUNT_QUEUED = 0, /* all that is queued, rounded up to whole packets */
    FF_JUMPSTART_AMOUNT_QUEUED_TO_CAP = 1, /* the queued bytes, at most the cap */
    FF_JUMPSTART_AMOUNT_CAP = 2, /* the cap, independent of the queue */
    FF_JUMPSTART_AMOUNT_PACKETS = 3, /* a configured number of packets of at most 1472 bytes */
    FF_JUMPSTART_AMOUNT_RATE = 4, /* the queued bytes, at most the bytes per RTT at a rate given by the application */
};

/* How does the receive window bound the first flight? (B2) */
enum {
    FF_JUMPSTART_RECEIVE_WINDOW_DOWN = 0, /* in whole packets, rounded down */
    FF_JUMPSTART_RECEIVE_WINDOW_BYTES = 1, /* in bytes */
    FF_JUMPSTART_RECEIVE_WINDOW_IGNORED = 2, /* not at all */
};

/* What if there is no RTT sample when data is ready? (B3) */
enum {
    FF_JUMPSTART_MISSING_RTT_NO_JUMP = 0, /* the sender does not jump */
    FF_JUMPSTART_MISSING_RTT_DEFAULT = 1, /* 100 ms are used */
};

/* Over which RTT is the first flight spread? (B3) */
enum {
    FF_JUMPSTART_RTT_HANDSHAKE = 0, /* the sample that comes with the data */
    FF_JUMPSTART_RTT_SMOOTHED = 1, /* the smoothed RTT of the last ACK, if there was one */
};

/* What is the congestion window when the jump begins? (B5) */
enum {
    FF_JUMPSTART_WINDOW_ON_ENTRY_AMOUNT = 0, /* the first flight */
    FF_JUMPSTART_WINDOW_ON_ENTRY_LARGER = 1, /* the larger of the window and the first flight */
};

/* What is the threshold when the jump begins, and so the growth after it? (B6) */
enum {
    FF_JUMPSTART_THRESHOLD_ON_ENTRY_UNCHANGED = 0, /* as it was: slow start follows */
    FF_JUMPSTART_THRESHOLD_ON_ENTRY_WINDOW = 1, /* the window: congestion avoidance follows */
};

/* How long is the interval between two packets of the first flight? (B7) */
enum {
    FF_JUMPSTART_GAP_PACKETS = 0, /* RTT / D */
    FF_JUMPSTART_GAP_INTERVALS = 1, /* RTT / (D - 1): the last packet leaves at the end of the RTT */
    FF_JUMPSTART_GAP_BYTES = 2, /* by the number of the packet times the maximum datagram size, at the rate of the flight's bytes per RTT */
    FF_JUMPSTART_GAP_RATE = 3, /* by that offset at the rate that the application names */
};

/* By what is the pacing rate multiplied? (B7) */
enum {
    FF_JUMPSTART_GAIN_ONE = 0, /* by 1 */
    FF_JUMPSTART_GAIN_SIX_FIFTHS = 1, /* by 6/5 */
};

/* May packets leave together? (B7) */
enum {
    FF_JUMPSTART_BURST_NONE = 0, /* no */
    FF_JUMPSTART_BURST_TEN_THEN_PAIRS = 1, /* the first ten leave at once, the others in pairs */
};

/* What if the first flight is no more than an initial window? (B8) */
enum {
    FF_JUMPSTART_SMALL_AMOUNT_PACED = 0, /* it is paced like any other */
    FF_JUMPSTART_SMALL_AMOUNT_AT_ONCE = 1, /* up to 4380 bytes leave at once */
    FF_JUMPSTART_SMALL_AMOUNT_NOT_ENTERED = 2, /* the sender does not jump unless the flight exceeds the sum of window and bytes in flight */
};

/* What ends the jump? (B9) */
enum {
    FF_JUMPSTART_ENDS_SENT_OR_ACK = 0, /* the last packet of the flight, or an ACK before it */
    FF_JUMPSTART_ENDS_SENT = 1, /* the last packet of the flight */
    FF_JUMPSTART_ENDS_ACK = 2, /* the first ACK of a packet of the flight */
};

/* Which ACK ends the jump? (B10) */
enum {
    FF_JUMPSTART_ENDING_ACK_FLIGHT = 0, /* one that acknowledges a packet of the flight */
    FF_JUMPSTART_ENDING_ACK_ANY = 1, /* any */
};

/* What is the window after an ACK has ended the jump? (B11) */
enum {
    FF_JUMPSTART_EARLY_ACK_WINDOW_KEPT = 0, /* as it was */
    FF_JUMPSTART_EARLY_ACK_WINDOW_IN_FLIGHT = 1, /* the bytes in flight before that ACK */
};

/* Which quantity does the growth of the window count: acknowledged bytes, ACKs or packets? (B12) */
enum {
    FF_JUMPSTART_GROWTH_BYTES = 0, /* as in the base controller */
    FF_JUMPSTART_GROWTH_ACKS = 1, /* in slow start by one packet per ACK */
    FF_JUMPSTART_GROWTH_ONE_IN_TWENTY = 2, /* while the last send filled the window: in congestion avoidance by one packet for 20 acknowledged */
};

/* May a jump begin after a loss or CE mark has reduced the window? (B13) */
enum {
    FF_JUMPSTART_ENTRY_AFTER_LOSS_ALLOWED = 0, /* yes, once recovery is over */
    FF_JUMPSTART_ENTRY_AFTER_LOSS_NEVER = 1, /* no */
};

/* Is there a second jump in a connection? (B14) */
enum {
    FF_JUMPSTART_REPEAT_ONCE = 0, /* no */
    FF_JUMPSTART_REPEAT_AFTER_IDLE = 1, /* one after each idle period */
};

/* What is reduced at the detection of a loss? (B15) */
enum {
    FF_JUMPSTART_REDUCTION_BASIS_WINDOW = 0, /* the window */
    FF_JUMPSTART_REDUCTION_BASIS_IN_FLIGHT = 1, /* the bytes in flight before */
};

/* To which part does the detection of a loss reduce the window or the bytes in flight? (B15) */
enum {
    FF_JUMPSTART_REDUCTION_FACTOR_HALF = 0, /* half */
    FF_JUMPSTART_REDUCTION_FACTOR_HALF_THEN_SEVEN_TENTHS = 1, /* half the first time, later 7/10 */
    FF_JUMPSTART_REDUCTION_FACTOR_SEVEN_TENTHS_OF_PACKETS = 2, /* 7/10 of the whole packets */
};

/* Which quantity is reduced if the first lost packet is a packet of the first flight? (B16) */
enum {
    FF_JUMPSTART_FIRST_LOSS_WINDOW_UNCHANGED = 0, /* the same as otherwise */
    FF_JUMPSTART_FIRST_LOSS_WINDOW_ACKED_OR_INITIAL = 1, /* the larger of the bytes of the flight acknowledged so far and the initial window */
};

/* Where does the flight end if a loss cuts it short? (B16) */
enum {
    FF_JUMPSTART_FIRST_LOSS_END_NEXT_PACKET = 0, /* with the last packet sent */
    FF_JUMPSTART_FIRST_LOSS_END_LOST_PACKET = 1, /* before the first lost packet */
};

/* When does recovery end? (B17) */
enum {
    FF_JUMPSTART_RECOVERY_END_ALL_DATA = 0, /* when all data that was sent before it is acknowledged, if the ACK says so */
    FF_JUMPSTART_RECOVERY_END_NEW_PACKET = 1, /* with the first ACK of a packet sent in it */
};

/* What becomes of the window after a loss in the first flight? (B18) */
enum {
    FF_JUMPSTART_ACCOUNTING_HALF_OF_REST = 0, /* (D - R)/2 packets at the end of recovery */
    FF_JUMPSTART_ACCOUNTING_ACKED_SHARE = 1, /* in recovery never below 7/10 of the bytes of the flight acknowledged so far */
    FF_JUMPSTART_ACCOUNTING_NONE = 2, /* no special rule */
};

/* Which retransmitted packets count as R in the window (D - R)/2 after a first flight of D packets? (B19) */
enum {
    FF_JUMPSTART_COUNTED_DATA_FIRST_FLIGHT = 0, /* data of the first flight */
    FF_JUMPSTART_COUNTED_DATA_ALL = 1, /* any data */
};

/* How is the window (D - R)/2 rounded (D: packets of the first flight, R: retransmitted packets)? (B20) */
enum {
    FF_JUMPSTART_RESULT_ROUNDING_DOWN = 0, /* down */
    FF_JUMPSTART_RESULT_ROUNDING_UP = 1, /* up */
};

/* Which minimum applies to the window (D - R)/2 (D: first-flight packets, R: retransmitted packets)? (B20) */
enum {
    FF_JUMPSTART_RESULT_FLOOR_ONE_PACKET = 0, /* one packet */
    FF_JUMPSTART_RESULT_FLOOR_MINIMUM_WINDOW = 1, /* two packets */
};

/* May (D - R)/2 after recovery raise the window (D: first-flight packets, R: retransmitted packets)? (B20) */
enum {
    FF_JUMPSTART_RESULT_RAISE_NEVER = 0, /* no */
    FF_JUMPSTART_RESULT_RAISE_ALLOWED = 1, /* yes */
};

/* What is ssthresh if recovery ends at window (D - R)/2 (D: first-flight packets, R: retransmitted)? (B20) */
enum {
    FF_JUMPSTART_RESULT_THRESHOLD_FOLLOWS = 0, /* the window, at least two packets */
    FF_JUMPSTART_RESULT_THRESHOLD_KEPT = 1, /* as it was */
};

/* What does a CE mark on the first flight do? (B22) */
enum {
    FF_JUMPSTART_ECN_ACCOUNTED = 0, /* it reduces, and the rule acts at the end with R = 0 */
    FF_JUMPSTART_ECN_HALVED_ONLY = 1, /* it reduces */
};

/* Does an ACK that ends recovery at (D - R)/2 (D: first-flight packets, R: retransmitted) grow cwnd? (B20) */
enum {
    FF_JUMPSTART_ENDING_GROWTH_NONE = 0, /* no */
    FF_JUMPSTART_ENDING_GROWTH_NORMAL = 1, /* yes */
};

/* What is the window after a timeout? (B23) */
enum {
    FF_JUMPSTART_TIMEOUT_WINDOW_ONE_PACKET = 0, /* one packet */
    FF_JUMPSTART_TIMEOUT_WINDOW_UNCHANGED = 1, /* as it was: nothing changes */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_jumpstart_readings {
    uint8_t amount;
    uint8_t rate_mbit;
    uint8_t cap_kib;
    uint8_t jump_packets;
    uint8_t receive_window;
    uint8_t missing_rtt;
    uint8_t rtt;
    uint8_t window_on_entry;
    uint8_t threshold_on_entry;
    uint8_t gap;
    uint8_t gain;
    uint8_t burst;
    uint8_t small_amount;
    uint8_t ends;
    uint8_t ending_ack;
    uint8_t early_ack_window;
    uint8_t growth;
    uint8_t entry_after_loss;
    uint8_t repeat;
    uint8_t reduction_basis;
    uint8_t reduction_factor;
    uint8_t first_loss_window;
    uint8_t first_loss_end;
    uint8_t recovery_end;
    uint8_t accounting;
    uint8_t counted_data;
    uint8_t result_rounding;
    uint8_t result_floor;
    uint8_t result_raise;
    uint8_t result_threshold;
    uint8_t ecn;
    uint8_t ending_growth;
    uint8_t timeout_window;
};

struct ff_jumpstart_profile {
    const char *name;
    struct ff_jumpstart_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_JUMPSTART_PROFILE_PFLDNET_2007 = 0,
    FF_JUMPSTART_PROFILE_PFLDNET_2007_FOOTNOTE = 1,
    FF_JUMPSTART_PROFILE_SCHARF_2009 = 2,
    FF_JUMPSTART_PROFILE_MORE_START = 3,
    FF_JUMPSTART_PROFILE_QUICLY = 4,
    FF_JUMPSTART_PROFILE_NS3_2025 = 5,
};

#define FF_JUMPSTART_PROFILE_COUNT 6
extern const struct ff_jumpstart_profile ff_jumpstart_profiles[FF_JUMPSTART_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
