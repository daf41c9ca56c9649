/*
 * SEARCH as in draft-chung-ietf-ccwg-00, "SEARCH 3.0 ALGORITHM", lines 1 to 42, in one header to be copied into a stack. C11 and C++17;
 * no allocation, no floating point, no global state.
 *
 * Corrected as in its authors' code: the loop of line 26 begins after the last completed bin, and fraction (line 16) is
 * divided by BIN_DURATION. Every index is modulo NUM_BINS. 0 / 0 (line 18) does not exit. prev_seq_num, without initial
 * value in the draft, is set at the beginning of the first bin. The sequence number of an ACK is the number of bytes
 * acknowledged so far. The same functions in the same order are in reference-py, search/plain_search_draft_00.py.
 *
 *     struct search_draft_00 search;
 *     search_draft_00_begin(&search);
 *     ... for each ACK frame: search_draft_00_count(&search, delivered_bytes), search_draft_00_rtt(&search, rtt_ns) if it gave a sample,
 *     and while cwnd < ssthresh:
 *     if (search_draft_00_on_ack(&search, now_ns, &cwnd) == SEARCH_DRAFT_00_EXITED)
 *         ssthresh = cwnd;
 *     cwnd grows as ever; // in congestion avoidance where SEARCH has ended slow start
 *
 * The draft lacks a minimum window: cwnd may be 0 at the exit.
 *
 * Domain: now_ns from 1 and never falling, now_ns and rtt_ns below 2^59 (18 years); delivered bytes below 2^60.
 * Internal times are in ticks of 1/20 ns: BIN_DURATION = 3.5 * INITIAL_RTT / 10 = 7 * INITIAL_RTT ticks is an integer.
 *
 * Invariant, once bin_duration is set: bin_end_ns = bin_end / 20; bin_end <= 20 * now + bin_duration; completed <
 * bin_end; no bin exceeds the delivered bytes.
 */
#ifndef SEARCH_DRAFT_00_H
#define SEARCH_DRAFT_00_H

#include <stdint.h>

/* BPF lacks 128-bit products, so operands are hidden from the optimiser, which would recognise a product. Its verifier
 * cannot bound a remainder: a mask limits the place in a ring to a power of two. */
#if defined(__bpf__)
#define SEARCH_DRAFT_00_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#define SEARCH_DRAFT_00_ROOM(count) 32
#define SEARCH_DRAFT_00_PLACE(i, count) (SEARCH_DRAFT_00_HIDDEN((i) % (count)) & (SEARCH_DRAFT_00_ROOM(count) - 1))
#else
#define SEARCH_DRAFT_00_HIDDEN(x) (x)
#define SEARCH_DRAFT_00_ROOM(count) (count)
#define SEARCH_DRAFT_00_PLACE(i, count) ((i) % (count))
#endif

/* Cold paths are out of line, so that the common ACK spills no registers. */
#if defined(__GNUC__)
#define SEARCH_DRAFT_00_RARE __attribute__((noinline, unused)) static
#else
#define SEARCH_DRAFT_00_RARE static inline
#endif

enum {
    SEARCH_DRAFT_00_W = 10,
    SEARCH_DRAFT_00_EXTRA_BINS = 15,
    SEARCH_DRAFT_00_NUM_BINS = 25,
    SEARCH_DRAFT_00_OVERSHOOT_BINS = 5 /* 2 * INITIAL_RTT / BIN_DURATION = 40/7, an integer division */
};

enum search_draft_00_outcome {
    SEARCH_DRAFT_00_SAME_BIN,
    SEARCH_DRAFT_00_NO_RTT_SAMPLE,
    SEARCH_DRAFT_00_STARTED,
    SEARCH_DRAFT_00_WARMING_UP,
    SEARCH_DRAFT_00_RTT_INFLATED,
    SEARCH_DRAFT_00_PREVIOUS_ZERO,
    SEARCH_DRAFT_00_BELOW_THRESHOLD,
    SEARCH_DRAFT_00_EXITED /* the window was lowered and slow start is over */
};

/* bin_end_ns: bin_end in ns, rounded down, so that 20 * now > bin_end iff now > bin_end_ns. 0 before the INITIAL_RTT.
 * bin_duration: 0 before the INITIAL_RTT. rtt_ns: the latest sample, 0 before the first. completed: curr_idx + 1. */
struct search_draft_00 {
    uint64_t bin_end_ns;
    uint64_t sequence_num;
    uint64_t rtt_ns;
    uint64_t bin_duration;
    uint64_t bin_end;
    uint64_t completed;
    uint64_t prev_seq_num;
    uint64_t bins[SEARCH_DRAFT_00_ROOM(SEARCH_DRAFT_00_NUM_BINS)];
};

/* 128 bits: a product of two words. */
struct search_draft_00_wide {
    uint64_t high, low;
};

SEARCH_DRAFT_00_RARE enum search_draft_00_outcome search_draft_00_search(struct search_draft_00 *s, uint64_t now_ns, uint64_t *cwnd);
static inline enum search_draft_00_outcome search_draft_00_initialise(struct search_draft_00 *s, uint64_t now_ns);
static inline void search_draft_00_update_bins(struct search_draft_00 *s, uint64_t now);
static inline struct search_draft_00_wide search_draft_00_sum_bins(const struct search_draft_00 *s, uint64_t idx1, uint64_t idx2,
                                                                   uint64_t rest);
static inline struct search_draft_00_wide search_draft_00_times(uint64_t factor, struct search_draft_00_wide a);
static inline enum search_draft_00_outcome search_draft_00_exit_slow_start(const struct search_draft_00 *s, uint64_t *cwnd);

/* Begin a connection; the rest of the initialisation needs the INITIAL_RTT. */
static inline void search_draft_00_begin(struct search_draft_00 *s) {
    s->bin_end_ns = 0;
    s->sequence_num = 0;
    s->rtt_ns = 0;
    s->bin_duration = 0;
    s->completed = 0;
    for (int i = 0; i < SEARCH_DRAFT_00_NUM_BINS; i++)
        s->bins[i] = 0;
}

/* Count the newly delivered bytes of an ACK, in any phase. Call it before search_draft_00_on_ack. */
static inline void search_draft_00_count(struct search_draft_00 *s, uint64_t bytes) {
    s->sequence_num += bytes; /* [search.bins.credit-before] [search.bins.every-phase] */
}

/* Store an RTT sample, in any phase. Call it before search_draft_00_on_ack. */
static inline void search_draft_00_rtt(struct search_draft_00 *s, uint64_t rtt_ns) {
    s->rtt_ns = rtt_ns > 0 ? rtt_ns : 1; /* [search.rtt.latest] */
}

/* Process an ACK in slow start, before the window grows for it: lines 10 to 23. */
static inline enum search_draft_00_outcome search_draft_00_on_ack(struct search_draft_00 *s, uint64_t now_ns, uint64_t *cwnd) {
    if (now_ns <= s->bin_end_ns)
        return SEARCH_DRAFT_00_SAME_BIN; /* [search.bins.same-bin] */
    return search_draft_00_search(s, now_ns, cwnd);
}

/* Lines 10 to 23, when a bin has ended. */
SEARCH_DRAFT_00_RARE enum search_draft_00_outcome search_draft_00_search(struct search_draft_00 *s, uint64_t now_ns, uint64_t *cwnd) {
    if (s->bin_duration == 0)
        return search_draft_00_initialise(s, now_ns);
    search_draft_00_update_bins(s, 20 * now_ns);
    uint64_t curr_idx = s->completed - 1;
    uint64_t shift = 20 * s->rtt_ns / s->bin_duration; /* [search.shift.round] */
    uint64_t rest = 20 * s->rtt_ns % s->bin_duration;  /* fraction * BIN_DURATION */
    if (curr_idx < SEARCH_DRAFT_00_W + shift)
        return SEARCH_DRAFT_00_WARMING_UP; /* prev_idx < W [search.guard.warming-up] */
    if (shift > SEARCH_DRAFT_00_EXTRA_BINS)
        return SEARCH_DRAFT_00_RTT_INFLATED; /* [search.guard.rtt-inflated] */
    uint64_t prev_idx = curr_idx - shift;
    /* Both sums, and so both sides of the comparison, are multiplied by BIN_DURATION < 2^62: they are below 2^122. */
    struct search_draft_00_wide curr_delv = search_draft_00_sum_bins(s, curr_idx - SEARCH_DRAFT_00_W, curr_idx, 0);
    struct search_draft_00_wide prev_delv = search_draft_00_sum_bins(s, prev_idx - SEARCH_DRAFT_00_W, prev_idx, rest);
    if (prev_delv.high == 0 && prev_delv.low == 0)
        return SEARCH_DRAFT_00_PREVIOUS_ZERO; /* [search.previous-zero] */
    /* norm_diff = (2 prev_delv - curr_delv) / (2 prev_delv) < THRESH = 7/20: 13 prev_delv < 10 curr_delv, both below 2^126 */
    prev_delv = search_draft_00_times(13, prev_delv);
    curr_delv = search_draft_00_times(10, curr_delv);
    if (prev_delv.high < curr_delv.high || (prev_delv.high == curr_delv.high && prev_delv.low < curr_delv.low))
        return SEARCH_DRAFT_00_BELOW_THRESHOLD; /* [search.threshold.below] */
    return search_draft_00_exit_slow_start(s, cwnd); /* [search.threshold.reached] */
}

/* Lines 1 to 9, with the first RTT. */
static inline enum search_draft_00_outcome search_draft_00_initialise(struct search_draft_00 *s, uint64_t now_ns) {
    if (s->rtt_ns == 0)
        return SEARCH_DRAFT_00_NO_RTT_SAMPLE;   /* [search.init.wait-for-sample] */
    s->bin_duration = 7 * s->rtt_ns;            /* [search.init.first-ack] */
    s->bin_end = 20 * now_ns + s->bin_duration; /* < 27 * 2^59 < 2^64 */
    s->bin_end_ns = s->bin_end / 20;
    s->prev_seq_num = s->sequence_num; /* [search.init.before-bin-0] */
    return SEARCH_DRAFT_00_STARTED;
}

/* Lines 24 to 31. */
static inline void search_draft_00_update_bins(struct search_draft_00 *s, uint64_t now) {
    uint64_t passed_bins = (now - s->bin_end) / s->bin_duration + 1; /* [search.bins.advance] */
    s->bin_end += passed_bins * s->bin_duration; /* at most now + bin_duration < 27 * 2^59 < 2^64 */
    s->bin_end_ns = s->bin_end / 20;
    for (uint64_t i = 0; i < passed_bins && i < SEARCH_DRAFT_00_NUM_BINS; i++)
        s->bins[SEARCH_DRAFT_00_PLACE(s->completed + i, SEARCH_DRAFT_00_NUM_BINS)] = 0;
    s->completed += passed_bins;
    s->bins[SEARCH_DRAFT_00_PLACE(s->completed - 1, SEARCH_DRAFT_00_NUM_BINS)] = s->sequence_num - s->prev_seq_num;
    s->prev_seq_num = s->sequence_num;
}

static inline struct search_draft_00_wide search_draft_00_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = SEARCH_DRAFT_00_HIDDEN(a1 * b0 + (a0 * b0 >> 32)); /* <= (2^32 - 1)^2 + 2^32 - 2 < 2^64 */
    uint64_t carried = a0 * b1 + (middle & UINT32_MAX); /* the same */
    struct search_draft_00_wide product = {a1 * b1 + (middle >> 32) + (carried >> 32), a * b};
    return product;
}

static inline struct search_draft_00_wide search_draft_00_plus(struct search_draft_00_wide a, struct search_draft_00_wide b) {
    struct search_draft_00_wide sum = {a.high + b.high + (a.low + b.low < a.low), a.low + b.low};
    return sum;
}

static inline struct search_draft_00_wide search_draft_00_times(uint64_t factor, struct search_draft_00_wide a) {
    struct search_draft_00_wide times = search_draft_00_product(factor, a.low);
    times.high += factor * a.high;
    return times;
}

/* Lines 32 to 38, times BIN_DURATION: the bins in between, rest of the first and the other part of the last. */
static inline struct search_draft_00_wide search_draft_00_sum_bins(const struct search_draft_00 *s, uint64_t idx1, uint64_t idx2,
                                                                   uint64_t rest) {
    uint64_t middle = 0, first = s->bins[SEARCH_DRAFT_00_PLACE(idx1, SEARCH_DRAFT_00_NUM_BINS)];
    uint64_t last = s->bins[SEARCH_DRAFT_00_PLACE(idx2, SEARCH_DRAFT_00_NUM_BINS)];
    uint64_t count = idx2 - idx1;
    for (uint64_t i = 1; i < count; i++)
        middle += s->bins[SEARCH_DRAFT_00_PLACE(idx1 + i, SEARCH_DRAFT_00_NUM_BINS)]; /* [search.windows.aliased] */
    struct search_draft_00_wide ends = search_draft_00_product(s->bin_duration - rest, last);
    ends = search_draft_00_plus(ends, search_draft_00_product(rest, first)); /* [search.interpolation.exact] */
    return search_draft_00_plus(search_draft_00_product(s->bin_duration, middle), ends);
}

/* Lines 39 to 42: sum_bins without fraction; a negative window becomes 0. */
static inline enum search_draft_00_outcome search_draft_00_exit_slow_start(const struct search_draft_00 *s, uint64_t *cwnd) {
    uint64_t overshoot = 0;
    for (uint64_t i = 1; i <= SEARCH_DRAFT_00_OVERSHOOT_BINS; i++)
        overshoot += s->bins[SEARCH_DRAFT_00_PLACE(s->completed - i, SEARCH_DRAFT_00_NUM_BINS)]; /* [search.exit.overshoot] */
    *cwnd = *cwnd > overshoot ? *cwnd - overshoot : 0; /* [search.exit.floor-zero] [search.exit.lower] */
    return SEARCH_DRAFT_00_EXITED;
}

#endif
