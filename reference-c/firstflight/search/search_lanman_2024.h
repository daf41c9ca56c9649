/*
 * SEARCH as in Cronin et al., "Improving QUIC Slow Start Behavior in Wireless Networks with SEARCH" (LANMAN 2024), Algorithm 1, in one
 * header to be copied into a stack. C11 and C++17; no allocation, no floating point, no global state.
 *
 * Open points of the paper are read as in its authors' code for QUIC. RTT / BIN_DURATION is rounded to the nearest
 * integer. Both windows are sums of W completed bins, and neither contains bin 0. Each passed boundary ends a bin, with
 * one evaluation after the last. The same functions in the same order are in reference-py,
 * search/plain_search_lanman_2024.py.
 *
 *     struct search_lanman_2024 search;
 *     search_lanman_2024_begin(&search);
 *     ... for each ACK frame: search_lanman_2024_rtt(&search, rtt_ns) if it gave a sample, and while cwnd < ssthresh:
 *     if (search_lanman_2024_on_ack(&search, now_ns, delivered_bytes, &cwnd, minimum_window) == SEARCH_LANMAN_2024_EXITED)
 *         ssthresh = cwnd;
 *     else
 *         cwnd grows as ever;
 *     ... on persistent congestion: search_lanman_2024_restart(&search);
 *
 * Domain: now_ns from 1 and never falling, now_ns and rtt_ns below 2^59 (18 years). The bytes of a bin are below 2^56.
 * Internal times are in ticks of 1/20 ns: BIN_DURATION = 3.5 * Initial_RTT / 10 = 7 * Initial_RTT ticks is an integer.
 *
 * Invariant, once bin_duration is set: bin_end_ns = bin_end / 20; bin_end <= 20 * now + bin_duration; curr <= bin_end; slot i of the ring was
 * written if i < curr.
 */
#ifndef SEARCH_LANMAN_2024_H
#define SEARCH_LANMAN_2024_H

#include <stdint.h>

/* The BPF verifier cannot bound a remainder: a mask, hidden from the optimiser, limits the place in a ring. */
#if defined(__bpf__)
#define SEARCH_LANMAN_2024_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#define SEARCH_LANMAN_2024_ROOM(count) 32
#define SEARCH_LANMAN_2024_PLACE(i, count) (SEARCH_LANMAN_2024_HIDDEN((i) % (count)) & (SEARCH_LANMAN_2024_ROOM(count) - 1))
#else
#define SEARCH_LANMAN_2024_ROOM(count) (count)
#define SEARCH_LANMAN_2024_PLACE(i, count) ((i) % (count))
#endif

/* Cold paths are out of line, so that the common ACK spills no registers. */
#if defined(__GNUC__)
#define SEARCH_LANMAN_2024_RARE __attribute__((noinline, unused)) static
#else
#define SEARCH_LANMAN_2024_RARE static inline
#endif

enum {
    SEARCH_LANMAN_2024_W = 10,
    SEARCH_LANMAN_2024_EXTRA_BINS = 15,
    SEARCH_LANMAN_2024_TOTAL_BINS = 25,
    SEARCH_LANMAN_2024_OVERSHOOT_BINS = 6 /* 2 * Initial_RTT / BIN_DURATION = 40/7, to the nearest */
};

enum search_lanman_2024_outcome {
    SEARCH_LANMAN_2024_SAME_BIN,
    SEARCH_LANMAN_2024_NO_RTT_SAMPLE,
    SEARCH_LANMAN_2024_STARTED,
    SEARCH_LANMAN_2024_WARMING_UP,
    SEARCH_LANMAN_2024_RTT_INFLATED,
    SEARCH_LANMAN_2024_PREVIOUS_ZERO,
    SEARCH_LANMAN_2024_BELOW_THRESHOLD,
    SEARCH_LANMAN_2024_EXITED /* the window was lowered and slow start is over */
};

/* bin_end_ns: bin_end in ns, rounded down: 20 * now > bin_end iff now > bin_end_ns. Bin curr has open_bytes, and enters
 * the ring when it ends. Zero members: bin_duration before Initialization, rtt_ns, the latest sample, before the first.
 */
struct search_lanman_2024 {
    uint64_t bin_end_ns;
    uint64_t open_bytes;
    uint64_t bin_duration;
    uint64_t bin_end;
    uint64_t curr;
    uint64_t rtt_ns;
    uint64_t bins[SEARCH_LANMAN_2024_ROOM(SEARCH_LANMAN_2024_TOTAL_BINS)];
};

SEARCH_LANMAN_2024_RARE enum search_lanman_2024_outcome
search_lanman_2024_search(struct search_lanman_2024 *s, uint64_t now_ns, uint64_t bytes, uint64_t *cwnd, uint64_t minimum_window);
static inline enum search_lanman_2024_outcome
search_lanman_2024_initialise(struct search_lanman_2024 *s, uint64_t now_ns, uint64_t bytes);
static inline void search_lanman_2024_end_bins(struct search_lanman_2024 *s, uint64_t now);
static inline enum search_lanman_2024_outcome
search_lanman_2024_evaluate(const struct search_lanman_2024 *s, uint64_t *cwnd, uint64_t minimum_window);
static inline uint64_t search_lanman_2024_delivered(const struct search_lanman_2024 *s, uint64_t first, uint64_t end);
static inline enum search_lanman_2024_outcome
search_lanman_2024_exit_slow_start(const struct search_lanman_2024 *s, uint64_t *cwnd, uint64_t minimum_window);

/* Begin a connection; SEARCH is initialised with the Initial_RTT. */
static inline void search_lanman_2024_begin(struct search_lanman_2024 *s) {
    s->bin_end_ns = 0;
    s->bin_duration = 0;
    s->rtt_ns = 0;
}

/* Store an RTT sample, in any phase. */
static inline void search_lanman_2024_rtt(struct search_lanman_2024 *s, uint64_t rtt_ns) {
    s->rtt_ns = rtt_ns > 0 ? rtt_ns : 1; /* [search.rtt.latest] */
}

/* Run Algorithm 1 for one ACK in slow start, before the window grows. Its bytes count in the bin of its arrival. */
static inline enum search_lanman_2024_outcome search_lanman_2024_on_ack(struct search_lanman_2024 *s, uint64_t now_ns,
                                                                        uint64_t bytes, uint64_t *cwnd, uint64_t minimum_window) {
    if (now_ns <= s->bin_end_ns) {
        s->open_bytes += bytes; /* [search.bins.credit] */
        return SEARCH_LANMAN_2024_SAME_BIN; /* [search.bins.same-bin] */
    }
    return search_lanman_2024_search(s, now_ns, bytes, cwnd, minimum_window);
}

/* Process persistent congestion: SEARCH restarts with the next ACK. */
static inline void search_lanman_2024_restart(struct search_lanman_2024 *s) {
    s->bin_end_ns = 0; /* [search.restart] */
    s->bin_duration = 0;
}

/* Run Algorithm 1 after the end of a bin, or before the first bin. */
SEARCH_LANMAN_2024_RARE enum search_lanman_2024_outcome
search_lanman_2024_search(struct search_lanman_2024 *s, uint64_t now_ns, uint64_t bytes, uint64_t *cwnd, uint64_t minimum_window) {
    if (s->bin_duration == 0)
        return search_lanman_2024_initialise(s, now_ns, bytes);
    search_lanman_2024_end_bins(s, 20 * now_ns);
    enum search_lanman_2024_outcome outcome = search_lanman_2024_evaluate(s, cwnd, minimum_window);
    s->open_bytes = bytes;
    return outcome;
}

/* Run the Initialization with the first RTT. */
static inline enum search_lanman_2024_outcome
search_lanman_2024_initialise(struct search_lanman_2024 *s, uint64_t now_ns, uint64_t bytes) {
    if (s->rtt_ns == 0)
        return SEARCH_LANMAN_2024_NO_RTT_SAMPLE; /* [search.init.wait-for-sample] */
    s->bin_duration = 7 * s->rtt_ns;             /* [search.init.first-ack] */
    s->bin_end = 20 * now_ns + s->bin_duration;  /* < 27 * 2^59 < 2^64 */
    s->bin_end_ns = s->bin_end / 20;
    s->curr = 0;
    s->open_bytes = bytes;
    return SEARCH_LANMAN_2024_STARTED;
}

/* While now > bin_end, begin the next bin, empty. */
static inline void search_lanman_2024_end_bins(struct search_lanman_2024 *s, uint64_t now) {
    uint64_t ended = (now - s->bin_end - 1) / s->bin_duration + 1; /* [search.bins.advance] */
    s->bin_end += ended * s->bin_duration; /* at most now - 1 + bin_duration */
    s->bin_end_ns = s->bin_end / 20;
    s->bins[SEARCH_LANMAN_2024_PLACE(s->curr, SEARCH_LANMAN_2024_TOTAL_BINS)] = s->open_bytes;
    for (uint64_t i = 1; i <= ended && i <= SEARCH_LANMAN_2024_TOTAL_BINS; i++)
        s->bins[SEARCH_LANMAN_2024_PLACE(s->curr + i, SEARCH_LANMAN_2024_TOTAL_BINS)] = 0;
    s->curr += ended;
    s->open_bytes = 0;
}

/* Compare the bytes delivered in the current window with twice the bytes delivered one RTT earlier. */
static inline enum search_lanman_2024_outcome
search_lanman_2024_evaluate(const struct search_lanman_2024 *s, uint64_t *cwnd, uint64_t minimum_window) {
    uint64_t shift = 20 * s->rtt_ns / s->bin_duration;
    uint64_t remainder = 20 * s->rtt_ns % s->bin_duration;
    shift += 2 * remainder > s->bin_duration; /* [search.shift.round] */
    if (shift == 0)
        shift = 1; /* [search.shift.minimum] */
    if (s->curr <= SEARCH_LANMAN_2024_W + shift)
        return SEARCH_LANMAN_2024_WARMING_UP; /* prev <= W [search.guard.warming-up] */
    if (shift >= SEARCH_LANMAN_2024_EXTRA_BINS)
        return SEARCH_LANMAN_2024_RTT_INFLATED; /* [search.guard.rtt-inflated] */
    uint64_t prev = s->curr - shift;
    uint64_t curr_delv = search_lanman_2024_delivered(s, s->curr - SEARCH_LANMAN_2024_W, s->curr);
    uint64_t prev_delv = search_lanman_2024_delivered(s, prev - SEARCH_LANMAN_2024_W, prev);
    if (prev_delv == 0)
        return SEARCH_LANMAN_2024_PREVIOUS_ZERO; /* [search.previous-zero] */
    /* norm_diff = (2 prev_delv - curr_delv) / (2 prev_delv) < THRESH = 7/20; both products below 13 * 2^60 < 2^64 */
    if (13 * prev_delv < 10 * curr_delv)
        return SEARCH_LANMAN_2024_BELOW_THRESHOLD; /* [search.threshold.below] */
    return search_lanman_2024_exit_slow_start(s, cwnd, minimum_window); /* [search.threshold.reached] */
}

/* Return the bytes of the bins from first up to, but not including, end: at most ten bins, so below 2^60. */
static inline uint64_t search_lanman_2024_delivered(const struct search_lanman_2024 *s, uint64_t first, uint64_t end) {
    uint64_t sum = 0, count = end - first;
    for (uint64_t i = 0; i < count; i++)
        sum += s->bins[SEARCH_LANMAN_2024_PLACE(first + i, SEARCH_LANMAN_2024_TOTAL_BINS)]; /* [search.windows.completed] */
    return sum;
}

/* Lower the window by the bytes delivered in the last two Initial_RTT, the delay of the detection. */
static inline enum search_lanman_2024_outcome
search_lanman_2024_exit_slow_start(const struct search_lanman_2024 *s, uint64_t *cwnd, uint64_t minimum_window) {
    uint64_t overshoot = search_lanman_2024_delivered(s, s->curr - SEARCH_LANMAN_2024_OVERSHOOT_BINS, s->curr);
    uint64_t lowered = *cwnd > overshoot ? *cwnd - overshoot : 0;  /* [search.exit.overshoot] [search.exit.lower] */
    *cwnd = lowered > minimum_window ? lowered : minimum_window; /* [search.exit.floor] */
    return SEARCH_LANMAN_2024_EXITED;
}

#endif
