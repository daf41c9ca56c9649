/*
 * draft-kazuho-ccwg-rapid-start-02, section 3: Rapid Start, in one header to be copied into a stack. C11 and C++17; no allocation, no
 * floating point, no global state.
 *
 * beta is 1/2, so the factors of 3.3.1 are 5/6, 1/3 and 5/6. rtt_floor is currentRoundMinRTT of HyStart++, one of the
 * ways in 3.2. Each statement of the pseudocode rounds the window down. Recovery does not stop at the initial window,
 * which 3.3 permits, and the sender does the pacing of 3.1. The same functions in the same order are in reference-py,
 * rapid_start/plain_rapid_start_draft_02.py.
 *
 *     struct rapid_start_draft_02 rapid;
 *     struct rapid_start_draft_02_ack ack;
 *     rapid_start_draft_02_begin(&rapid, max_datagram_size);
 *     ... for each ACK frame before the first loss or CE mark, instead of your slow start:
 *     rapid_start_draft_02_on_ack(&rapid, &ack, &cwnd);
 *     ... at the first loss or CE mark, instead of your reduction; your controller records the recovery period:
 *     rapid_start_draft_02_enter_recovery(&rapid, &cwnd);
 *     ... while that recovery period lasts, for bytes of packets sent before it, and the losses that began it:
 *     rapid_start_draft_02_on_recovery_ack(&rapid, acked_bytes, &cwnd);
 *     rapid_start_draft_02_on_recovery_lost(&rapid, lost_bytes, &cwnd);
 *     ... and ssthresh = cwnd after each of the three. Your controller alone processes the loss of a PMTU probe (RFC 9000, section 14.4).
 *     ... for another maximum datagram size: set rapid.minimum_window to twice the size.
 *
 * Domain: RTTs below 2^59 ns (18 years), packet numbers below 2^62, windows below 2^62 bytes. ACKs and losses have less
 * than 2^48 bytes, datagrams less than 2^16.
 *
 * Invariant: each RTT is below 2^59 or INFINITY.
 */
#ifndef RAPID_START_DRAFT_02_H
#define RAPID_START_DRAFT_02_H

#include <stdint.h>

#define RAPID_START_DRAFT_02_ADDITIVE_NS UINT64_C(4000000)
#define RAPID_START_DRAFT_02_INFINITY (UINT64_C(1) << 60) /* above every RTT */
#define RAPID_START_DRAFT_02_NO_SAMPLE UINT64_MAX

enum rapid_start_draft_02_outcome {
    RAPID_START_DRAFT_02_APP_LIMITED,
    RAPID_START_DRAFT_02_RAPID_GROWN,
    RAPID_START_DRAFT_02_GROWN,
    RAPID_START_DRAFT_02_REDUCED,
    RAPID_START_DRAFT_02_REDUCED_FURTHER,
    RAPID_START_DRAFT_02_LOWER_BOUND_KEPT
};

struct rapid_start_draft_02 {
    uint64_t min_rtt;
    uint64_t rtt_floor;
    uint64_t window_end;
    uint64_t pre_recovery_cwnd;
    uint64_t minimum_window;
};

/* An ACK frame: largest newly acknowledged packet, SND.NXT, bytes, its RTT sample and the connection's minimum RTT. */
struct rapid_start_draft_02_ack {
    uint64_t largest_packet;
    uint64_t snd_nxt;
    uint64_t bytes;
    uint64_t rtt_ns;     /* or RAPID_START_DRAFT_02_NO_SAMPLE */
    uint64_t min_rtt_ns; /* likewise */
    int app_limited;
};

static inline void rapid_start_draft_02_start_round(struct rapid_start_draft_02 *s, uint64_t snd_nxt);
static inline int rapid_start_draft_02_no_queue(const struct rapid_start_draft_02 *s);
static inline enum rapid_start_draft_02_outcome rapid_start_draft_02_reduce(const struct rapid_start_draft_02 *s, uint64_t less,
                                                                            uint64_t *cwnd);
static inline uint64_t rapid_start_draft_02_lower_bound(const struct rapid_start_draft_02 *s);

/* Begin without RTTs; the first ACK begins a round. */
static inline void rapid_start_draft_02_begin(struct rapid_start_draft_02 *s, uint32_t max_datagram_size) {
    s->min_rtt = RAPID_START_DRAFT_02_INFINITY; /* [rapid-start.begin] */
    s->rtt_floor = RAPID_START_DRAFT_02_INFINITY;
    s->window_end = 0;
    s->pre_recovery_cwnd = 0;
    s->minimum_window = UINT64_C(2) * max_datagram_size;
}

/* 3.2, with the sample of this ACK (open); not while the window is underused (RFC 9002, section 7.8). It adds less than
 * 2^49. */
static inline enum rapid_start_draft_02_outcome
rapid_start_draft_02_on_ack(struct rapid_start_draft_02 *s, const struct rapid_start_draft_02_ack *ack, uint64_t *cwnd) {
    if (ack->largest_packet >= s->window_end)
        rapid_start_draft_02_start_round(s, ack->snd_nxt);
    if (ack->min_rtt_ns != RAPID_START_DRAFT_02_NO_SAMPLE)
        s->min_rtt = ack->min_rtt_ns; /* [rapid-start.min-rtt] */
    if (ack->rtt_ns < s->rtt_floor)
        s->rtt_floor = ack->rtt_ns; /* false for NO_SAMPLE */
    if (ack->app_limited)
        return RAPID_START_DRAFT_02_APP_LIMITED; /* [slow-start.app-limited] */
    if (rapid_start_draft_02_no_queue(s)) {
        *cwnd += 2 * ack->bytes; /* [rapid-start.grow.three] */
        return RAPID_START_DRAFT_02_RAPID_GROWN;
    }
    *cwnd += ack->bytes; /* [rapid-start.grow.two] */
    return RAPID_START_DRAFT_02_GROWN;
}

/* RFC 9406, section 4.2: windowEnd is acknowledged, and currentRoundMinRTT is infinite again. */
static inline void rapid_start_draft_02_start_round(struct rapid_start_draft_02 *s, uint64_t snd_nxt) {
    s->window_end = snd_nxt;
    s->rtt_floor = RAPID_START_DRAFT_02_INFINITY; /* [rapid-start.floor.round] */
}

/* 3.2: rtt_floor is at most queue_buildup_thresh, the smaller of min_rtt + 4 ms and min_rtt * 1.10. Below 11 * 2^60. */
static inline int rapid_start_draft_02_no_queue(const struct rapid_start_draft_02 *s) {
    if (s->min_rtt == RAPID_START_DRAFT_02_INFINITY)
        return 0; /* [rapid-start.floor.none] open */
    return s->rtt_floor <= s->min_rtt + RAPID_START_DRAFT_02_ADDITIVE_NS && 10 * s->rtt_floor <= 11 * s->min_rtt; /* [rapid-start.threshold] */
}

/* 3.3: cwnd *= silence_factor, which is 5/6: subtract a sixth of cwnd, rounded up. */
static inline enum rapid_start_draft_02_outcome rapid_start_draft_02_enter_recovery(struct rapid_start_draft_02 *s, uint64_t *cwnd) {
    s->pre_recovery_cwnd = *cwnd;
    (void)rapid_start_draft_02_reduce(s, (*cwnd + 5) / 6, cwnd); /* [rapid-start.recovery.begin] */
    return RAPID_START_DRAFT_02_REDUCED;
}

/* 3.3: cwnd -= ack_factor * bytes_newly_acked, for packets sent before recovery (open); ack_factor is 1/3. */
static inline enum rapid_start_draft_02_outcome rapid_start_draft_02_on_recovery_ack(const struct rapid_start_draft_02 *s,
                                                                                     uint64_t acked_bytes, uint64_t *cwnd) {
    return rapid_start_draft_02_reduce(s, (acked_bytes + 2) / 3, cwnd); /* [rapid-start.recovery.ack] */
}

/* 3.3: cwnd -= loss_factor * bytes_newly_lost; loss_factor is 5/6. */
static inline enum rapid_start_draft_02_outcome rapid_start_draft_02_on_recovery_lost(const struct rapid_start_draft_02 *s,
                                                                                      uint64_t lost_bytes, uint64_t *cwnd) {
    return rapid_start_draft_02_reduce(s, (5 * lost_bytes + 5) / 6, cwnd); /* [rapid-start.recovery.lost] */
}

/* Subtract bytes from the window, down to the bound. */
static inline enum rapid_start_draft_02_outcome rapid_start_draft_02_reduce(const struct rapid_start_draft_02 *s, uint64_t less,
                                                                            uint64_t *cwnd) {
    uint64_t bound = rapid_start_draft_02_lower_bound(s);
    if (*cwnd < less || *cwnd - less < bound) {
        *cwnd = bound;
        return RAPID_START_DRAFT_02_LOWER_BOUND_KEPT;
    }
    *cwnd -= less;
    return RAPID_START_DRAFT_02_REDUCED_FURTHER;
}

/* 3.3: pre_recovery_cwnd * beta / 3, which is a sixth, and the minimum window of RFC 9002. */
static inline uint64_t rapid_start_draft_02_lower_bound(const struct rapid_start_draft_02 *s) {
    uint64_t sixth = (s->pre_recovery_cwnd + 5) / 6; /* [rapid-start.bound] */
    return sixth > s->minimum_window ? sixth : s->minimum_window; /* [rapid-start.bound.minimum] */
}

#endif
