/*
 * SEARCH as in draft-chung-ccwg-search-09, reconstructed from implementations and their discussion, in one header to copy into a stack.
 * C11 and C++17; no allocation, no floating point, no global state.
 *
 * Only the abstract of the draft was read. The previous window is interpolated backward, as in neqo: a comment there
 * calls the forward interpolation of the text a mistake. The optional restart after missed bins is omitted. The drain
 * is as in Linux 4, in bytes. The same functions in the same order are in reference-py,
 * search/plain_search_draft_09.py.
 *
 *     struct search_draft_09 search;
 *     search_draft_09_begin(&search, max_datagram_size);
 *     ... for packets sent: search_draft_09_on_sent(&search, bytes);
 *     ... for each ACK frame: search_draft_09_count(&search, delivered_bytes), search_draft_09_rtt(&search, rtt_ns) if it gave a sample,
 *     and while cwnd < ssthresh:
 *     switch (search_draft_09_on_ack(&search, now_ns, delivered_packets, bytes_in_flight, &cwnd)) {
 *     case SEARCH_DRAFT_09_DRAINED: ssthresh = cwnd; break;
 *     case SEARCH_DRAFT_09_EXITED: case SEARCH_DRAFT_09_DRAINING: break; // the window does not grow
 *     default: cwnd grows as ever;
 *     }
 *     ... on persistent congestion, or where slow start begins again for another reason: search_draft_09_restart(&search);
 *     ... for another maximum datagram size: set search.max_datagram_size.
 *
 * Domain: now_ns from 1 and never falling, now_ns and rtt_ns below 2^59 (18 years). Bytes sent and bytes delivered
 * since begin are below 2^60, bytes_in_flight below 2^63. Internal times are in ticks of 1/20 ns: BIN_DURATION = 3.5 *
 * INITIAL_RTT / 10 = 7 * INITIAL_RTT ticks is an integer.
 *
 * Invariant, once bin_duration is set: bin_end_ns = bin_end / 20, or 0 in the drain; bin_end <= 20 * now + bin_duration; curr_idx <=
 * bin_end. The totals of a ring never fall up to curr_idx.
 */
#ifndef SEARCH_DRAFT_09_H
#define SEARCH_DRAFT_09_H

#include <stdint.h>

/* BPF lacks 128-bit products, so operands are hidden from the optimiser, which would recognise a product. Its verifier
 * cannot bound a remainder, and a division costs more than an ACK. With BPF the size of a ring is a power of two. */
#if defined(__bpf__)
#define SEARCH_DRAFT_09_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#define SEARCH_DRAFT_09_ROOM(count) ((count) <= 16 ? 16 : 32)
#define SEARCH_DRAFT_09_PLACE(i, count) ((i) & (SEARCH_DRAFT_09_ROOM(count) - 1))
#else
#define SEARCH_DRAFT_09_HIDDEN(x) (x)
#define SEARCH_DRAFT_09_ROOM(count) (count)
#define SEARCH_DRAFT_09_PLACE(i, count) ((i) % (count))
#endif

/* Cold paths are out of line, so that the common ACK spills no registers. */
#if defined(__GNUC__)
#define SEARCH_DRAFT_09_RARE __attribute__((noinline, unused)) static
#else
#define SEARCH_DRAFT_09_RARE static inline
#endif

enum {
    SEARCH_DRAFT_09_W = 10,          /* bins in a window, which covers 3.5 INITIAL_RTT */
    SEARCH_DRAFT_09_EXTRA_BINS = 15, /* an RTT / BIN_DURATION of this or more is not evaluated */
    SEARCH_DRAFT_09_ACKED_BINS = 11, /* W + 1: the totals at both ends of the current window */
    SEARCH_DRAFT_09_SENT_BINS = 26,  /* ACKED_BINS + EXTRA_BINS: the earlier window starts up to EXTRA_BINS earlier */
    SEARCH_DRAFT_09_TARGET_BINS = 3  /* drain target: bytes acknowledged in one INITIAL_RTT, 20/7 bins rounded up */
};

enum search_draft_09_outcome {
    SEARCH_DRAFT_09_SAME_BIN,
    SEARCH_DRAFT_09_NO_RTT_SAMPLE,
    SEARCH_DRAFT_09_STARTED,
    SEARCH_DRAFT_09_WARMING_UP,
    SEARCH_DRAFT_09_RTT_INFLATED,
    SEARCH_DRAFT_09_PREVIOUS_ZERO,
    SEARCH_DRAFT_09_BELOW_THRESHOLD,
    SEARCH_DRAFT_09_EXITED,   /* the drain begins with the next ACK */
    SEARCH_DRAFT_09_DRAINING, /* the window was set */
    SEARCH_DRAFT_09_DRAINED   /* the window was set to the target, and slow start is over */
};

/* bin_end_ns: bin_end in ns, rounded down: 20 * now > bin_end iff now > bin_end_ns. Zero members: bin_end_ns before the
 * INITIAL_RTT and in the drain, bin_duration before the INITIAL_RTT. Also rtt_ns, the latest sample, before the first,
 * and target_cwnd while not draining. */
struct search_draft_09 {
    uint64_t bin_end_ns;
    uint64_t acked_bytes; /* present totals */
    uint64_t sent_bytes;
    uint64_t target_cwnd;
    uint64_t bin_duration;
    uint64_t bin_end;
    uint64_t curr_idx;
    uint64_t rtt_ns;
    uint32_t drained_packets; /* 0 to 2 */
    uint32_t max_datagram_size;
    uint64_t acked_bins[SEARCH_DRAFT_09_ROOM(SEARCH_DRAFT_09_ACKED_BINS)]; /* the totals at the end of each bin */
    uint64_t sent_bins[SEARCH_DRAFT_09_ROOM(SEARCH_DRAFT_09_SENT_BINS)];
};

/* 128 bits: a product of two words. */
struct search_draft_09_wide {
    uint64_t high, low;
};

static inline void search_draft_09_restart(struct search_draft_09 *s);
SEARCH_DRAFT_09_RARE enum search_draft_09_outcome search_draft_09_search(struct search_draft_09 *s, uint64_t now_ns);
static inline enum search_draft_09_outcome search_draft_09_start(struct search_draft_09 *s, uint64_t now_ns);
static inline void search_draft_09_update_bins(struct search_draft_09 *s, uint64_t now);
static inline void search_draft_09_end_bins(uint64_t *bins, uint64_t count, uint64_t idx, uint64_t passed_bins, uint64_t total);
static inline uint64_t search_draft_09_window(const uint64_t *bins, uint64_t count, uint64_t idx, uint64_t size);
static inline int search_draft_09_below(uint64_t bin_duration, uint64_t rest, uint64_t newer, uint64_t older, uint64_t curr_delv);
static inline enum search_draft_09_outcome
search_draft_09_drain(struct search_draft_09 *s, uint64_t packets, uint64_t bytes_in_flight, uint64_t *cwnd);

/* Begin slow start; SEARCH waits for its INITIAL_RTT. */
static inline void search_draft_09_begin(struct search_draft_09 *s, uint32_t max_datagram_size) {
    search_draft_09_restart(s);
    s->acked_bytes = 0;
    s->sent_bytes = 0;
    s->rtt_ns = 0;
    s->max_datagram_size = max_datagram_size;
}

/* Process sent packets. */
static inline void search_draft_09_on_sent(struct search_draft_09 *s, uint64_t bytes) {
    s->sent_bytes += bytes; /* [search.bins.sent] */
}

/* Count the newly delivered bytes of an ACK, in any phase. Call it before search_draft_09_on_ack. */
static inline void search_draft_09_count(struct search_draft_09 *s, uint64_t bytes) {
    s->acked_bytes += bytes; /* [search.bins.credit-before] */
}

/* Store an RTT sample, in any phase. Call it before search_draft_09_on_ack. */
static inline void search_draft_09_rtt(struct search_draft_09 *s, uint64_t rtt_ns) {
    s->rtt_ns = rtt_ns > 0 ? rtt_ns : 1; /* [search.rtt.latest] */
}

/* Process an ACK of `packets` packets in slow start (also an app-limited one), before the window grows for it.
 * bytes_in_flight: after the ACK. */
static inline enum search_draft_09_outcome search_draft_09_on_ack(struct search_draft_09 *s, uint64_t now_ns, uint64_t packets,
                                                                  uint64_t bytes_in_flight, uint64_t *cwnd) {
    if (now_ns <= s->bin_end_ns)
        return SEARCH_DRAFT_09_SAME_BIN; /* [search.bins.same-bin] */
    if (s->target_cwnd > 0)
        return search_draft_09_drain(s, packets, bytes_in_flight, cwnd);
    return search_draft_09_search(s, now_ns);
}

/* Restart SEARCH with the next ACK in slow start. */
static inline void search_draft_09_restart(struct search_draft_09 *s) {
    s->bin_end_ns = 0; /* [search.restart] */
    s->bin_duration = 0;
    s->target_cwnd = 0;
    s->drained_packets = 0;
}

/* At the end of a bin compare the bytes sent one RTT earlier with the bytes delivered, in windows of W bins. */
SEARCH_DRAFT_09_RARE enum search_draft_09_outcome search_draft_09_search(struct search_draft_09 *s, uint64_t now_ns) {
    if (s->bin_duration == 0)
        return search_draft_09_start(s, now_ns);
    search_draft_09_update_bins(s, 20 * now_ns);
    uint64_t shift = 20 * s->rtt_ns / s->bin_duration; /* [search.shift.round] */
    uint64_t rest = 20 * s->rtt_ns % s->bin_duration;  /* fraction * BIN_DURATION */
    if (s->curr_idx <= SEARCH_DRAFT_09_W + shift)
        return SEARCH_DRAFT_09_WARMING_UP; /* prev_idx <= W [search.guard.warming-up] */
    if (shift >= SEARCH_DRAFT_09_EXTRA_BINS)
        return SEARCH_DRAFT_09_RTT_INFLATED; /* [search.guard.rtt-inflated] */
    uint64_t prev_idx = s->curr_idx - shift;
    uint64_t newer = search_draft_09_window(s->sent_bins, SEARCH_DRAFT_09_SENT_BINS, prev_idx, SEARCH_DRAFT_09_W);
    uint64_t older = search_draft_09_window(s->sent_bins, SEARCH_DRAFT_09_SENT_BINS, prev_idx - 1, SEARCH_DRAFT_09_W);
    if (newer == 0 && (rest == 0 || older == 0))
        return SEARCH_DRAFT_09_PREVIOUS_ZERO; /* [search.previous-zero] */
    uint64_t curr_delv =
        search_draft_09_window(s->acked_bins, SEARCH_DRAFT_09_ACKED_BINS, s->curr_idx, SEARCH_DRAFT_09_W);
    if (search_draft_09_below(s->bin_duration, rest, newer, older, curr_delv))
        return SEARCH_DRAFT_09_BELOW_THRESHOLD; /* [search.threshold.below] */
    uint64_t delivered =
        search_draft_09_window(s->acked_bins, SEARCH_DRAFT_09_ACKED_BINS, s->curr_idx, SEARCH_DRAFT_09_TARGET_BINS);
    uint64_t least = UINT64_C(10) * s->max_datagram_size;
    s->target_cwnd = delivered > least ? delivered : least; /* [search.drain.target] */
    s->bin_end_ns = 0;                                      /* no bin ends any more */
    return SEARCH_DRAFT_09_EXITED;                          /* [search.threshold.reached] [search.drain.no-growth] */
}

/* Use the first RTT as INITIAL_RTT; bin 0 ends at once. */
static inline enum search_draft_09_outcome search_draft_09_start(struct search_draft_09 *s, uint64_t now_ns) {
    if (s->rtt_ns == 0)
        return SEARCH_DRAFT_09_NO_RTT_SAMPLE; /* [search.init.wait-for-sample] */
    s->bin_duration = 7 * s->rtt_ns;          /* [search.init.first-ack] */
    s->bin_end = 20 * now_ns + s->bin_duration;
    s->bin_end_ns = s->bin_end / 20;
    s->curr_idx = 0;
    s->acked_bins[0] = s->acked_bytes; /* [search.init.before-bin-0] */
    s->sent_bins[0] = s->sent_bytes;
    return SEARCH_DRAFT_09_STARTED;
}

/* End the passed bins: the last with the present totals, the others with the totals of the bin before them. */
static inline void search_draft_09_update_bins(struct search_draft_09 *s, uint64_t now) {
    uint64_t passed_bins = (now - s->bin_end) / s->bin_duration + 1; /* [search.bins.advance] */
    s->bin_end += passed_bins * s->bin_duration; /* at most now + bin_duration < 27 * 2^59 < 2^64 */
    s->bin_end_ns = s->bin_end / 20;
    search_draft_09_end_bins(s->acked_bins, SEARCH_DRAFT_09_ACKED_BINS, s->curr_idx, passed_bins, s->acked_bytes);
    search_draft_09_end_bins(s->sent_bins, SEARCH_DRAFT_09_SENT_BINS, s->curr_idx, passed_bins, s->sent_bytes);
    s->curr_idx += passed_bins;
}

/* Write the passed bins after idx to a ring of count bins: the last with total, the others with the total of idx. */
static inline void search_draft_09_end_bins(uint64_t *bins, uint64_t count, uint64_t idx, uint64_t passed_bins, uint64_t total) {
    uint64_t total_of_idx = bins[SEARCH_DRAFT_09_PLACE(idx, count)];
    for (uint64_t back = 1; back < passed_bins && back < count; back++)
        bins[SEARCH_DRAFT_09_PLACE(idx + passed_bins - back, count)] = total_of_idx;
    bins[SEARCH_DRAFT_09_PLACE(idx + passed_bins, count)] = total;
}

/* Return the bytes of the size bins up to idx, in a ring of count bins: a difference of totals. */
static inline uint64_t search_draft_09_window(const uint64_t *bins, uint64_t count, uint64_t idx, uint64_t size) {
    return bins[SEARCH_DRAFT_09_PLACE(idx, count)] -
           bins[SEARCH_DRAFT_09_PLACE(idx - size, count)]; /* [search.windows.completed] */
}

static inline struct search_draft_09_wide search_draft_09_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t middle = SEARCH_DRAFT_09_HIDDEN(a1 * b0 + (a0 * b0 >> 32)); /* <= (2^32 - 1)^2 + 2^32 - 2 < 2^64 */
    uint64_t carried = a0 * b1 + (middle & UINT32_MAX);        /* the same */
    struct search_draft_09_wide product = {a1 * b1 + (middle >> 32) + (carried >> 32), a * b};
    return product;
}

static inline struct search_draft_09_wide search_draft_09_sum(struct search_draft_09_wide a, struct search_draft_09_wide b) {
    struct search_draft_09_wide sum = {a.high + b.high + (a.low + b.low < a.low), a.low + b.low};
    return sum;
}

static inline struct search_draft_09_wide search_draft_09_times(uint64_t factor, struct search_draft_09_wide a) {
    struct search_draft_09_wide times = search_draft_09_product(factor, a.low);
    times.high += factor * a.high;
    return times;
}

/* Return whether norm_diff = (prev_sent - curr_delv) / prev_sent < THRESH = 13/50: 37 prev_sent < 50 curr_delv.
 * BIN_DURATION < 2^62 multiplies both sides: prev_sent = (BIN_DURATION - rest) * newer + rest * older is exact. All
 * values are below 2^128. */
static inline int search_draft_09_below(uint64_t bin_duration, uint64_t rest, uint64_t newer, uint64_t older, uint64_t curr_delv) {
    struct search_draft_09_wide prev = search_draft_09_product(bin_duration - rest, newer); /* [search.interpolation.exact] */
    prev = search_draft_09_times(37, search_draft_09_sum(prev, search_draft_09_product(rest, older)));
    struct search_draft_09_wide curr = search_draft_09_times(50, search_draft_09_product(bin_duration, curr_delv));
    return prev.high < curr.high || (prev.high == curr.high && prev.low < curr.low);
}

/* Release one packet per three acknowledged, until the window is at the target; then slow start ends. If the bytes in
 * flight and the released packets are at most the target, the first ACK already ends the drain. */
static inline enum search_draft_09_outcome
search_draft_09_drain(struct search_draft_09 *s, uint64_t packets, uint64_t bytes_in_flight, uint64_t *cwnd) {
    packets += s->drained_packets;
    s->drained_packets = (uint32_t)(packets % 3);
    uint64_t flight = bytes_in_flight + packets / 3 * s->max_datagram_size;
    *cwnd = flight > s->target_cwnd ? flight : s->target_cwnd; /* [search.drain.step] */
    if (flight > s->target_cwnd)
        return SEARCH_DRAFT_09_DRAINING;
    search_draft_09_restart(s); /* [search.drain.end] */
    return SEARCH_DRAFT_09_DRAINED;
}

#endif
