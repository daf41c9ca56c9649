/*
 * draft-ietf-ccwg-bbr-06: Startup and Drain of BBR, in one header to be copied into a stack. C11 and C++17; no allocation, no floating
 * point, no global state.
 *
 * A delivery rate is bytes over ns, compared by cross multiplication. Results in bytes are rounded down, departure
 * times up. SMSS is the maximum datagram size. After Drain the connection paces at the measured rate: it neither probes
 * for bandwidth nor enters ProbeRTT (ours).
 * The same functions in the same order are in reference-py, bbr/plain_bbr_draft_06.py.
 *
 *     struct bbr_draft_06 bbr;
 *     bbr_draft_06_begin(&bbr, max_datagram_size, initial_window);
 *     ... for sent packets; bbr.next_release_ns is then the next departure time:
 *     bbr_draft_06_on_transmit(&bbr, now_ns, sent_bytes, bytes_in_flight, nothing_left_to_send);
 *     ... for each ACK frame, with the delivery-rate sample of 4.1 from your sender; bbr.cwnd is the window:
 *     bbr_draft_06_on_ack(&bbr, &ack);
 *     ... for packets declared lost together, then for each range of consecutive lost packets:
 *     bbr_draft_06_on_lost(&bbr, now_ns, bytes_in_flight, when_the_last_of_them_was_sent_ns);
 *     bbr_draft_06_on_lost_range(&bbr, first_packet, last_packet);
 *     ... on the loss of a PMTU probe (RFC 9000, section 14.4): only set bbr.inflight to the bytes in flight;
 *     ... for another maximum datagram size: bbr_draft_06_on_datagram_size(&bbr, size, handshake);
 *     ... for a CE mark, for persistent congestion, and for spurious losses:
 *     bbr_draft_06_on_congestion(&bbr, sent_ns, now_ns);
 *     bbr_draft_06_on_enter_rto(&bbr, now_ns);
 *     bbr_draft_06_handle_spurious_loss_detection(&bbr);
 *
 * Domain: times, RTTs and intervals of samples are below 2^59 ns (18 years). Windows and the volumes of samples are
 * below 2^62 bytes, bytes per ACK or send event below 2^48. Datagram sizes are from 1 to 2^16 - 1, packet numbers below
 * 2^62. There are less than 2^62 ACKs, and at most 2^63 bytes acknowledged without a sample.
 *
 * Invariant: bbr_draft_06_invariant in bbr_draft_06_invariant.h.
 */
#ifndef BBR_DRAFT_06_H
#define BBR_DRAFT_06_H

#include <stdint.h>

/* The BPF verifier cannot bound a remainder, and follows every path of a loop over bits. So a power of two bounds a
 * place in a ring, and comparisons avoid branches. Both are hidden from the optimiser. */
#if defined(__bpf__)
#define BBR_DRAFT_06_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#define BBR_DRAFT_06_BELOW(x, y) (((~(x) & (y)) | ((~(x) | (y)) & BBR_DRAFT_06_HIDDEN((x) - (y)))) >> 63)
#define BBR_DRAFT_06_ROOM(count) 16
#define BBR_DRAFT_06_PLACE(i, count) ((i) & (BBR_DRAFT_06_ROOM(count) - 1))
/* With BPF, products above 2^60 and other rare work are out of line: a common ACK needs fewer cache lines of code. */
#define BBR_DRAFT_06_RARE __attribute__((noinline, unused)) static
#define BBR_DRAFT_06_IS_WIDE(x) ((x) >> 30 != 0)
#else
#define BBR_DRAFT_06_RARE static inline
#define BBR_DRAFT_06_IS_WIDE(x) 1 /* one path for all products */
#define BBR_DRAFT_06_ROOM(count) (count)
#define BBR_DRAFT_06_PLACE(i, count) (i)
#endif

#define BBR_DRAFT_06_NONE UINT64_MAX /* absent RTT or time; infinite volume or rate */
#define BBR_DRAFT_06_MOST ((UINT64_C(1) << 62) - 1) /* volumes saturate here */
#define BBR_DRAFT_06_LAST_NS ((UINT64_C(1) << 59) - 1) /* times saturate here */
#define BBR_DRAFT_06_MILLISECOND_NS UINT64_C(1000000)
#define BBR_DRAFT_06_SECOND_NS UINT64_C(1000000000)
#define BBR_DRAFT_06_LARGEST_QUANTUM_BYTES UINT64_C(65536)
#define BBR_DRAFT_06_MIN_RTT_FILTER_NS (10000 * BBR_DRAFT_06_MILLISECOND_NS)
#define BBR_DRAFT_06_PROBE_RTT_INTERVAL_NS (5000 * BBR_DRAFT_06_MILLISECOND_NS)

enum {
    BBR_DRAFT_06_STARTUP_PACING_GAIN = 277, /* hundredths */
    BBR_DRAFT_06_DRAIN_PACING_GAIN = 50,
    BBR_DRAFT_06_CRUISE_PACING_GAIN = 100,
    BBR_DRAFT_06_CWND_GAIN = 2,
    BBR_DRAFT_06_FULL_BW_ROUNDS = 3,
    BBR_DRAFT_06_FULL_LOSS_COUNT = 6,
    BBR_DRAFT_06_DRAIN_ROUNDS = 3,
    BBR_DRAFT_06_PACING_MARGIN_PERCENT = 1,
    BBR_DRAFT_06_EXTRA_ACKED_ROUNDS = 10
};

enum bbr_draft_06_phase { BBR_DRAFT_06_STARTUP, BBR_DRAFT_06_DRAIN, BBR_DRAFT_06_PROBE_BW, BBR_DRAFT_06_NO_PHASE };

enum bbr_draft_06_outcome {
    BBR_DRAFT_06_SENT,
    BBR_DRAFT_06_UNCHANGED, /* on an ACK: unchanged window, and none of the outcomes below */
    BBR_DRAFT_06_GROWN,
    BBR_DRAFT_06_APP_LIMITED,
    BBR_DRAFT_06_BW_GROWN,
    BBR_DRAFT_06_PLATEAU_COUNTED,
    BBR_DRAFT_06_EXITED_BY_PLATEAU,
    BBR_DRAFT_06_EXITED_BY_LOSS,
    BBR_DRAFT_06_DRAINED,
    BBR_DRAFT_06_DRAIN_TIMED_OUT,
    BBR_DRAFT_06_LOSS_NOTED,
    BBR_DRAFT_06_ALREADY_NOTED,
    BBR_DRAFT_06_COLLAPSED,
    BBR_DRAFT_06_RESTORED,
    BBR_DRAFT_06_STARTUP_RESUMED
};

/* Delivered bytes, and the duration of their delivery in ns, not 0. Infinite if bytes is NONE. */
struct bbr_draft_06_rate {
    uint64_t bytes;
    uint64_t ns;
};

/* Variables of section 2. Members used by each ACK come first, in few cache lines. Units: pacing_rate in bytes per s.
 * Maxima: extra_acked_now of this round, extra_acked_recent of the nine before. app_limited: C.app_limited, or 0.
 * Flags: model_changed after a change of bw, min_rtt or pacing_gain; pacing_rate, send_quantum and bdp then follow. */
struct bbr_draft_06 {
    uint64_t smss, cwnd, pacing_rate, send_quantum, inflight, delivered, app_limited;
    struct bbr_draft_06_rate bw, max_bw, bw_latest, bw_shortterm;
    uint64_t inflight_latest, inflight_shortterm, inflight_longterm, bdp;
    uint64_t round_count, next_round_delivered, loss_round_delivered, lost_ranges;
    uint64_t min_rtt, min_rtt_stamp, probe_rtt_min_delay, probe_rtt_min_stamp;
    uint16_t pacing_gain;
    uint8_t phase, undo_phase, full_bw_count, srtt_known, model_changed, extra_acked_place;
    uint8_t round_start, loss_round_start, is_loss_in_round, full_bw_reached, full_bw_now, in_recovery, by_timeout;
    uint64_t extra_acked, extra_acked_interval_start, extra_acked_delivered, extra_acked_now, extra_acked_recent;
    /* The largest sample of each round; extra_acked_place is the place of this round. */
    uint64_t extra_acked_rounds[BBR_DRAFT_06_ROOM(BBR_DRAFT_06_EXTRA_ACKED_ROUNDS)];
    uint64_t initial_cwnd, next_release_ns, after_lost, drain_start_round;
    struct bbr_draft_06_rate full_bw, undo_bw_shortterm;
    uint64_t undo_inflight_shortterm, undo_inflight_longterm, recovery_start, recovery_delivered, prior_cwnd;
};

/* An ACK frame, and RS, the sample of the packet sent last among the acknowledged packets, as taken by the sender. */
struct bbr_draft_06_ack {
    uint64_t now_ns;
    uint64_t bytes;           /* RS.newly_acked */
    uint64_t bytes_in_flight; /* C.inflight afterwards */
    uint64_t rtt_ns;          /* RS.rtt, or NONE */
    uint64_t min_rtt_ns;      /* C.min_rtt, or NONE */
    uint64_t smoothed_rtt_ns; /* C.srtt, or NONE */
    uint64_t newest_sent_ns;  /* latest send time of the acknowledged packets */
    uint64_t delivered;       /* RS.delivered */
    uint64_t interval_ns;     /* RS.interval */
    uint64_t prior_delivered; /* RS.prior_delivered, or NONE without a sample */
    uint64_t tx_in_flight;    /* RS.tx_in_flight */
    uint64_t lost;            /* RS.lost */
    int is_app_limited;       /* RS.is_app_limited */
};

struct bbr_draft_06_u128 {
    uint64_t high, low;
};

/* Return the product of two words, computed from their halves. */
static inline struct bbr_draft_06_u128 bbr_draft_06_product(uint64_t a, uint64_t b) {
    uint64_t a_low = a & UINT32_MAX, a_high = a >> 32, b_low = b & UINT32_MAX, b_high = b >> 32;
    uint64_t low = a_low * b_low, cross = a_high * b_low + (low >> 32), other = a_low * b_high + (cross & UINT32_MAX);
    struct bbr_draft_06_u128 product = {a_high * b_high + (cross >> 32) + (other >> 32), (other << 32) | (low & UINT32_MAX)};
    return product;
}

static inline int bbr_draft_06_below(struct bbr_draft_06_u128 a, struct bbr_draft_06_u128 b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* Return a / divisor, rounded down, at most 2^62 - 1; divisor is from 1 to 2^63. Most dividends fit in one word. */
static inline uint64_t bbr_draft_06_quotient(struct bbr_draft_06_u128 a, uint64_t divisor) {
    uint64_t rest = a.high, quotient = 0;
    if (a.high == 0)
        quotient = a.low / divisor;
    else if (a.high >= divisor)
        return BBR_DRAFT_06_MOST;
    else
        for (int bit = 63; bit >= 0; bit--) {
            rest = rest << 1 | (a.low >> bit & 1);
            quotient <<= 1;
#if defined(__bpf__)
            uint64_t digit = BBR_DRAFT_06_HIDDEN(1 - BBR_DRAFT_06_BELOW(rest, divisor));
            rest -= digit * divisor;
            quotient |= digit;
#else
            if (rest >= divisor) {
                rest -= divisor;
                quotient |= 1;
            }
#endif
        }
    return quotient < BBR_DRAFT_06_MOST ? quotient : BBR_DRAFT_06_MOST;
}

static inline uint64_t bbr_draft_06_max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static inline uint64_t bbr_draft_06_min(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline struct bbr_draft_06_rate bbr_draft_06_rate_of(uint64_t bytes, uint64_t ns) {
    struct bbr_draft_06_rate rate = {bytes, ns};
    return rate;
}

BBR_DRAFT_06_RARE uint64_t bbr_draft_06_scaled_wide(uint64_t a, uint64_t b, uint64_t divisor) {
    return bbr_draft_06_quotient(bbr_draft_06_product(a, b), divisor);
}

/* Return a * b / divisor, rounded down, at most 2^62 - 1. */
static inline uint64_t bbr_draft_06_scaled(uint64_t a, uint64_t b, uint64_t divisor) {
    return !BBR_DRAFT_06_IS_WIDE(a | b) ? a * b / divisor : bbr_draft_06_scaled_wide(a, b, divisor);
}

BBR_DRAFT_06_RARE int bbr_draft_06_less_wide(uint64_t a_bytes, uint64_t a_ns, uint64_t b_bytes, uint64_t b_ns) {
    return bbr_draft_06_below(bbr_draft_06_product(a_bytes, b_ns), bbr_draft_06_product(b_bytes, a_ns));
}

/* Return whether a is the lower of two finite rates. Pointers, because clang 14 copies structs by bytes for BPF. */
static inline int bbr_draft_06_less(const struct bbr_draft_06_rate *a, const struct bbr_draft_06_rate *b) {
    return !BBR_DRAFT_06_IS_WIDE(a->bytes | a->ns | b->bytes | b->ns)
               ? a->bytes * b->ns < b->bytes * a->ns
               : bbr_draft_06_less_wide(a->bytes, a->ns, b->bytes, b->ns);
}

/* Replace a by the higher of two rates; keep a if the rates are equal. */
static inline void bbr_draft_06_higher(struct bbr_draft_06_rate *a, const struct bbr_draft_06_rate *b) {
    if (bbr_draft_06_less(a, b))
        *a = *b;
}

BBR_DRAFT_06_RARE void bbr_draft_06_init_pacing_rate(struct bbr_draft_06 *s, uint64_t srtt_ns);
static inline uint64_t bbr_draft_06_paced(const struct bbr_draft_06_rate *rate, uint64_t parts);
static inline enum bbr_draft_06_outcome bbr_draft_06_update_model_and_state(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs,
                                                                            struct bbr_draft_06_rate rate);
static inline struct bbr_draft_06_rate bbr_draft_06_generate_rate_sample(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs);
static inline void bbr_draft_06_update_latest_delivery_signals(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs,
                                                               struct bbr_draft_06_rate rate, uint64_t delivered);
static inline void bbr_draft_06_update_congestion_signals(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs,
                                                          struct bbr_draft_06_rate rate);
static inline void bbr_draft_06_update_round(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs);
BBR_DRAFT_06_RARE void bbr_draft_06_adapt_lower_bounds(struct bbr_draft_06 *s);
static inline void bbr_draft_06_update_ack_aggregation(struct bbr_draft_06 *s, uint64_t newly_acked, uint64_t now_ns);
static inline void bbr_draft_06_next_round_of_aggregation(struct bbr_draft_06 *s);
BBR_DRAFT_06_RARE void bbr_draft_06_most_of_rounds(struct bbr_draft_06 *s);
BBR_DRAFT_06_RARE enum bbr_draft_06_outcome bbr_draft_06_check_full_bw_reached(struct bbr_draft_06 *s, uint64_t bytes, uint64_t ns,
                                                                               int is_app_limited);
static inline void bbr_draft_06_reset_full_bw(struct bbr_draft_06 *s);
static inline enum bbr_draft_06_outcome bbr_draft_06_check_startup_done(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs);
BBR_DRAFT_06_RARE int bbr_draft_06_check_startup_high_loss(struct bbr_draft_06 *s, uint64_t prior_delivered, uint64_t lost,
                                                           uint64_t tx_in_flight);
BBR_DRAFT_06_RARE enum bbr_draft_06_outcome bbr_draft_06_check_drain_done(struct bbr_draft_06 *s);
static inline void bbr_draft_06_update_min_rtt(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs);
BBR_DRAFT_06_RARE void bbr_draft_06_apply_model(struct bbr_draft_06 *s, uint64_t smoothed_rtt_ns);
static inline void bbr_draft_06_set_pacing_rate(struct bbr_draft_06 *s, uint64_t smoothed_rtt_ns);
static inline void bbr_draft_06_set_send_quantum(struct bbr_draft_06 *s);
static inline uint64_t bbr_draft_06_bdp_multiple(const struct bbr_draft_06 *s, uint64_t gain);
static inline uint64_t bbr_draft_06_quantized(const struct bbr_draft_06 *s, uint64_t inflight_cap);
static inline void bbr_draft_06_set_cwnd(struct bbr_draft_06 *s, uint64_t newly_acked);
static inline void bbr_draft_06_bound_cwnd_for_model(struct bbr_draft_06 *s);
static inline enum bbr_draft_06_outcome bbr_draft_06_on_congestion(struct bbr_draft_06 *s, uint64_t sent_ns, uint64_t now_ns);
static inline enum bbr_draft_06_outcome bbr_draft_06_note_loss(struct bbr_draft_06 *s);
static inline void bbr_draft_06_save_state_upon_loss(struct bbr_draft_06 *s);

/* Return the initial window recommended by RFC 9002 (section 7.2). */
static inline uint64_t bbr_draft_06_initial_window(uint32_t max_datagram_size) {
    const uint64_t ten = UINT64_C(10) * max_datagram_size, largest = bbr_draft_06_max(14720, UINT64_C(2) * max_datagram_size);
    return bbr_draft_06_min(ten, largest);
}

/* 5.2.1: OnInit. The transport sets the initial window (5.6.4.1); 0 selects the recommendation of RFC 9002. */
static inline void bbr_draft_06_begin(struct bbr_draft_06 *s, uint32_t max_datagram_size, uint64_t initial_window) {
    const struct bbr_draft_06_rate nothing = {0, 1};
    if (initial_window == 0)
        initial_window = bbr_draft_06_initial_window(max_datagram_size);
    s->smss = max_datagram_size;
    s->initial_cwnd = s->cwnd = initial_window; /* [bbr.begin] */
    s->next_release_ns = s->after_lost = s->min_rtt = s->probe_rtt_min_delay = BBR_DRAFT_06_NONE;
    s->inflight_shortterm = s->inflight_longterm = BBR_DRAFT_06_NONE;
    s->bw = s->max_bw = s->bw_latest = s->full_bw = s->undo_bw_shortterm = nothing;
    s->bw_shortterm = bbr_draft_06_rate_of(BBR_DRAFT_06_NONE, 1);
    s->inflight = s->delivered = s->app_limited = s->recovery_delivered = s->inflight_latest = s->undo_inflight_shortterm = s->undo_inflight_longterm = 0;
    s->round_count = s->next_round_delivered = s->loss_round_delivered = s->lost_ranges = s->drain_start_round = 0;
    s->min_rtt_stamp = s->probe_rtt_min_stamp = s->recovery_start = s->prior_cwnd = 0;
    s->extra_acked = s->extra_acked_interval_start = s->extra_acked_delivered = 0;
    s->extra_acked_now = s->extra_acked_recent = s->extra_acked_place = 0;
    for (int i = 0; i < BBR_DRAFT_06_EXTRA_ACKED_ROUNDS; i++)
        s->extra_acked_rounds[i] = 0;
    s->full_bw_count = s->round_start = s->loss_round_start = s->is_loss_in_round = 0;
    s->full_bw_reached = s->full_bw_now = s->in_recovery = s->by_timeout = s->srtt_known = 0;
    s->phase = BBR_DRAFT_06_STARTUP;
    s->undo_phase = BBR_DRAFT_06_NO_PHASE;
    s->pacing_gain = BBR_DRAFT_06_STARTUP_PACING_GAIN;
    s->model_changed = 1;
    s->send_quantum = s->bdp = 0;
    bbr_draft_06_init_pacing_rate(s, BBR_DRAFT_06_MILLISECOND_NS);
}

/* 5.6.2: the initial window over the smoothed RTT, or over 1 ms, times the gain. */
BBR_DRAFT_06_RARE void bbr_draft_06_init_pacing_rate(struct bbr_draft_06 *s, uint64_t srtt_ns) {
    const struct bbr_draft_06_rate rate = {s->initial_cwnd, srtt_ns};
    s->pacing_rate = bbr_draft_06_paced(&rate, BBR_DRAFT_06_STARTUP_PACING_GAIN * 100);
}

/* Return parts / 10,000 of a rate in bytes per second, at least 1, because a rate of 0 would stop sending (ours). */
static inline uint64_t bbr_draft_06_paced(const struct bbr_draft_06_rate *rate, uint64_t parts) {
    uint64_t per_second = bbr_draft_06_scaled(rate->bytes, parts * (BBR_DRAFT_06_SECOND_NS / 10000), rate->ns);
    return bbr_draft_06_max(per_second, 1); /* [bbr.pacing.least] */
}

/* 5.2.2 and 5.6.2: packets depart at the pacing rate. After an idle period, measure the aggregation again (5.4.1). */
static inline enum bbr_draft_06_outcome bbr_draft_06_on_transmit(struct bbr_draft_06 *s, uint64_t now_ns, uint64_t bytes,
                                                                 uint64_t bytes_in_flight, int nothing_left_to_send) {
    struct bbr_draft_06_u128 up = bbr_draft_06_product(bytes, BBR_DRAFT_06_SECOND_NS);
    uint64_t next = s->next_release_ns == BBR_DRAFT_06_NONE ? 0 : s->next_release_ns;
    if (bytes_in_flight == bytes && s->app_limited != 0)
        s->extra_acked_interval_start = now_ns;
    s->inflight = bbr_draft_06_min(bytes_in_flight, BBR_DRAFT_06_MOST);
    if (nothing_left_to_send) /* 4.1.2.4: MarkConnectionAppLimited */
        s->app_limited = bbr_draft_06_max(s->delivered + s->inflight, 1);
    up.low += s->pacing_rate - 1; /* rounded up */
    up.high += up.low < s->pacing_rate - 1;
    next = bbr_draft_06_max(now_ns, next) + bbr_draft_06_quotient(up, s->pacing_rate); /* [bbr.pacing.next] [bbr.pacing.delay] */
    s->next_release_ns = bbr_draft_06_min(next, BBR_DRAFT_06_LAST_NS);
    return BBR_DRAFT_06_SENT;
}

/* 5.2.3: UpdateOnACK. Recovery ends between its two parts, because the loss exit depends on active recovery. */
static inline enum bbr_draft_06_outcome bbr_draft_06_on_ack(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs) {
    uint64_t before = s->cwnd;
    s->inflight = bbr_draft_06_min(rs->bytes_in_flight, BBR_DRAFT_06_MOST);
    struct bbr_draft_06_rate rate = bbr_draft_06_generate_rate_sample(s, rs);
    enum bbr_draft_06_outcome outcome = bbr_draft_06_update_model_and_state(s, rs, rate);
    if (s->in_recovery && rs->newest_sent_ns > s->recovery_start) {
        s->in_recovery = 0; /* [bbr.recovery.end] */
        s->cwnd = bbr_draft_06_max(s->cwnd, s->prior_cwnd); /* [bbr.restored.cwnd] */
    }
    if (!s->srtt_known || s->model_changed)
        bbr_draft_06_apply_model(s, rs->smoothed_rtt_ns);
    bbr_draft_06_set_cwnd(s, rs->bytes);
    if (outcome != BBR_DRAFT_06_UNCHANGED)
        return outcome;
    return s->cwnd > before ? BBR_DRAFT_06_GROWN : BBR_DRAFT_06_UNCHANGED;
}

/* 5.2.3: return the outcome of a state change, or in Startup the outcome of the search for a full pipe. */
static inline enum bbr_draft_06_outcome bbr_draft_06_update_model_and_state(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs,
                                                                            struct bbr_draft_06_rate rate) {
    int was_startup = s->phase == BBR_DRAFT_06_STARTUP;
    uint64_t delivered = rs->prior_delivered == BBR_DRAFT_06_NONE ? 0 : rs->delivered;
    bbr_draft_06_update_latest_delivery_signals(s, rs, rate, delivered);
    bbr_draft_06_update_congestion_signals(s, rs, rate);
    bbr_draft_06_update_ack_aggregation(s, rs->bytes, rs->now_ns);
    enum bbr_draft_06_outcome counted = BBR_DRAFT_06_UNCHANGED, exited, drained = BBR_DRAFT_06_UNCHANGED;
    if (!s->full_bw_now && s->round_start) /* [bbr.full-bw.round] */
        counted = bbr_draft_06_check_full_bw_reached(s, rate.bytes, rate.ns, rs->is_app_limited);
    exited = bbr_draft_06_check_startup_done(s, rs);
    if (s->phase == BBR_DRAFT_06_DRAIN)
        drained = bbr_draft_06_check_drain_done(s);
    bbr_draft_06_update_min_rtt(s, rs);
    if (s->loss_round_start) { /* AdvanceLatestDeliverySignals */
        s->bw_latest = rate;
        s->inflight_latest = delivered;
    }
    const struct bbr_draft_06_rate *bw = &s->max_bw; /* [bbr.bw] */
    if (s->bw_shortterm.bytes != BBR_DRAFT_06_NONE && bbr_draft_06_less(&s->bw_shortterm, bw))
        bw = &s->bw_shortterm;
    if (s->bw.bytes != bw->bytes || s->bw.ns != bw->ns) {
        s->bw = *bw;
        s->model_changed = 1;
    }
    if (exited != BBR_DRAFT_06_UNCHANGED)
        return exited;
    if (drained != BBR_DRAFT_06_UNCHANGED)
        return drained;
    return was_startup ? counted : BBR_DRAFT_06_UNCHANGED;
}

/* 4.1.2.3: a sample with an interval below the minimum RTT, or of 0, gives a rate of 0. */
static inline struct bbr_draft_06_rate bbr_draft_06_generate_rate_sample(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs) {
    struct bbr_draft_06_rate rate = {0, 1};
    if (rs->prior_delivered != BBR_DRAFT_06_NONE) {
        int is_short = rs->min_rtt_ns != BBR_DRAFT_06_NONE && rs->interval_ns < rs->min_rtt_ns; /* [bbr.sample.short] */
        s->delivered = rs->prior_delivered + rs->delivered; /* [bbr.sample.delivered] */
        if (rs->interval_ns != 0 && !is_short) /* [bbr.sample.no-time] */
            rate = bbr_draft_06_rate_of(rs->delivered, rs->interval_ns); /* [bbr.sample.rate] */
    } else {
        s->delivered += rs->bytes; /* [bbr.sample.none] */
    }
    if (s->delivered > s->app_limited) /* application-limited bytes are acknowledged */
        s->app_limited = 0;
    return rate;
}

/* 5.5.10.3: update the largest delivery of the last round, and check whether the round ends. */
static inline void bbr_draft_06_update_latest_delivery_signals(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs,
                                                               struct bbr_draft_06_rate rate, uint64_t delivered) {
    bbr_draft_06_higher(&s->bw_latest, &rate); /* [bbr.latest] */
    s->inflight_latest = bbr_draft_06_max(s->inflight_latest, delivered);
    s->loss_round_start = rs->prior_delivered != BBR_DRAFT_06_NONE && rs->prior_delivered >= s->loss_round_delivered;
    if (s->loss_round_start)
        s->loss_round_delivered = s->delivered;
}

/* 5.5.10.3: UpdateMaxBw, and once per round the bounds set on losses. The filter of max_bw spans the whole start. */
static inline void bbr_draft_06_update_congestion_signals(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs,
                                                          struct bbr_draft_06_rate rate) {
    bbr_draft_06_update_round(s, rs);
    bbr_draft_06_higher(&s->max_bw, &rate); /* a lower application-limited sample changes nothing */
    if (!s->loss_round_start)
        return;
    if (s->is_loss_in_round && s->phase != BBR_DRAFT_06_STARTUP)
        bbr_draft_06_adapt_lower_bounds(s); /* [bbr.short-term.startup] */
    s->is_loss_in_round = 0;
}

/* 5.5.1: a round ends when a packet sent after its beginning is acknowledged. */
static inline void bbr_draft_06_update_round(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs) {
    s->round_start = rs->prior_delivered != BBR_DRAFT_06_NONE && rs->prior_delivered >= s->next_round_delivered;
    if (s->round_start) {
        s->next_round_delivered = s->delivered;
        s->round_count++; /* [bbr.round] */
    }
}

/* Return the bytes times Beta, 0.7, rounded down. */
static inline uint64_t bbr_draft_06_beta(uint64_t bytes) {
    return bytes / 10 * 7 + bytes % 10 * 7 / 10;
}

/* InitLowerBounds and LossLowerBounds. */
BBR_DRAFT_06_RARE void bbr_draft_06_adapt_lower_bounds(struct bbr_draft_06 *s) {
    struct bbr_draft_06_rate bw = s->bw_shortterm.bytes == BBR_DRAFT_06_NONE ? s->max_bw : s->bw_shortterm;
    uint64_t inflight = s->inflight_shortterm == BBR_DRAFT_06_NONE ? s->cwnd : s->inflight_shortterm;
    bw.bytes = bbr_draft_06_beta(bw.bytes);
    s->bw_shortterm = s->bw_latest;
    bbr_draft_06_higher(&s->bw_shortterm, &bw); /* [bbr.short-term] */
    s->inflight_shortterm = bbr_draft_06_max(s->inflight_latest, bbr_draft_06_beta(inflight));
}

/* 5.5.9: the bytes acknowledged in excess of the bandwidth: the largest of this round, or of ten after Startup. */
static inline void bbr_draft_06_update_ack_aggregation(struct bbr_draft_06 *s, uint64_t newly_acked, uint64_t now_ns) {
    uint64_t expected = bbr_draft_06_scaled(s->bw.bytes, now_ns - s->extra_acked_interval_start, s->bw.ns);
    if (s->extra_acked_delivered <= expected) {
        s->extra_acked_delivered = expected = 0; /* [bbr.extra-acked.anew] */
        s->extra_acked_interval_start = now_ns;
    }
    s->extra_acked_delivered += newly_acked;
    if (s->round_start)
        bbr_draft_06_next_round_of_aggregation(s);
    uint64_t extra = bbr_draft_06_min(s->extra_acked_delivered - expected, s->cwnd);
    s->extra_acked_now = bbr_draft_06_max(s->extra_acked_now, extra);
    s->extra_acked = s->extra_acked_now; /* [bbr.extra-acked.startup] */
    if (s->full_bw_reached)
        s->extra_acked = bbr_draft_06_max(s->extra_acked_now, s->extra_acked_recent); /* [bbr.extra-acked] */
}

/* Replace the oldest of ten rounds by a new round. */
static inline void bbr_draft_06_next_round_of_aggregation(struct bbr_draft_06 *s) {
    uint64_t at = BBR_DRAFT_06_PLACE(s->extra_acked_place, BBR_DRAFT_06_EXTRA_ACKED_ROUNDS);
    uint64_t ended = s->extra_acked_now, oldest;
    s->extra_acked_rounds[at] = ended;
    at = at + 1 < BBR_DRAFT_06_EXTRA_ACKED_ROUNDS ? at + 1 : 0;
    s->extra_acked_place = (uint8_t)at;
    oldest = s->extra_acked_rounds[at];
    s->extra_acked_rounds[at] = s->extra_acked_now = 0;
    if (ended >= s->extra_acked_recent)
        s->extra_acked_recent = ended;
    else if (oldest >= s->extra_acked_recent)
        bbr_draft_06_most_of_rounds(s);
}

BBR_DRAFT_06_RARE void bbr_draft_06_most_of_rounds(struct bbr_draft_06 *s) {
    uint64_t most = 0;
    for (int i = 0; i < BBR_DRAFT_06_EXTRA_ACKED_ROUNDS; i++)
        most = bbr_draft_06_max(most, s->extra_acked_rounds[i]);
    s->extra_acked_recent = most;
}

/* 5.3.1.2: three rounds, each with growth of the rate by less than a quarter. */
BBR_DRAFT_06_RARE enum bbr_draft_06_outcome bbr_draft_06_check_full_bw_reached(struct bbr_draft_06 *s, uint64_t bytes, uint64_t ns,
                                                                               int is_app_limited) {
    if (is_app_limited)
        return BBR_DRAFT_06_APP_LIMITED; /* [bbr.full-bw.app-limited] */
    const struct bbr_draft_06_rate found = {bytes, 5 * ns}, full = {s->full_bw.bytes, 4 * s->full_bw.ns};
    if (!bbr_draft_06_less(&found, &full)) {
        bbr_draft_06_reset_full_bw(s);
        s->full_bw = bbr_draft_06_rate_of(bytes, ns); /* [bbr.full-bw.grown] */
        return BBR_DRAFT_06_BW_GROWN;
    }
    s->full_bw_count++; /* [bbr.full-bw.count] */
    if (s->full_bw_count >= BBR_DRAFT_06_FULL_BW_ROUNDS)
        s->full_bw_now = s->full_bw_reached = 1; /* [bbr.full-bw.reached] */
    return BBR_DRAFT_06_PLATEAU_COUNTED;
}

/* 5.3.1.2: restart the search for a full pipe. */
static inline void bbr_draft_06_reset_full_bw(struct bbr_draft_06 *s) {
    s->full_bw = bbr_draft_06_rate_of(0, 1); /* [bbr.full-bw.reset] */
    s->full_bw_count = s->full_bw_now = 0;
}

/* 5.3.1.1: end Startup on a plateau or on losses. Return UNCHANGED if Startup continues. */
static inline enum bbr_draft_06_outcome bbr_draft_06_check_startup_done(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs) {
    int by_loss = s->loss_round_start && s->lost_ranges != 0 &&
                  bbr_draft_06_check_startup_high_loss(s, rs->prior_delivered, rs->lost, rs->tx_in_flight);
    if (s->phase != BBR_DRAFT_06_STARTUP || !s->full_bw_reached)
        return BBR_DRAFT_06_UNCHANGED;
    s->phase = BBR_DRAFT_06_DRAIN; /* [bbr.startup.done] [bbr.drain] */
    s->pacing_gain = BBR_DRAFT_06_DRAIN_PACING_GAIN;
    s->model_changed = 1;
    s->drain_start_round = s->round_count;
    return by_loss ? BBR_DRAFT_06_EXITED_BY_LOSS : BBR_DRAFT_06_EXITED_BY_PLATEAU;
}

/* 5.3.1.3: a round of fast recovery with six lost ranges, and a loss of more than 2 % of the bytes in flight. */
BBR_DRAFT_06_RARE int bbr_draft_06_check_startup_high_loss(struct bbr_draft_06 *s, uint64_t prior_delivered, uint64_t lost,
                                                           uint64_t tx_in_flight) {
    uint64_t ranges = s->lost_ranges;
    s->lost_ranges = 0;
    s->after_lost = BBR_DRAFT_06_NONE;
    int a_round = s->in_recovery && !s->by_timeout && prior_delivered >= s->recovery_delivered; /* [bbr.loss-exit.recovery] [bbr.loss-exit.full-round] */
    if (s->phase != BBR_DRAFT_06_STARTUP || !a_round || ranges < BBR_DRAFT_06_FULL_LOSS_COUNT) /* [bbr.loss-exit.ranges] */
        return 0;
    if (lost <= tx_in_flight / 50) /* [bbr.loss-exit.rate] */
        return 0;
    s->undo_phase = BBR_DRAFT_06_STARTUP; /* [bbr.loss-exit.undo] */
    s->full_bw_reached = 1; /* [bbr.loss-exit] */
    s->inflight_longterm = bbr_draft_06_max(s->bdp, s->inflight_latest); /* [bbr.loss-exit.long-term] */
    return 1;
}

/* 5.3.2: Drain ends at one BDP in flight or less, or after three rounds; the pseudocode waits for a fourth. */
BBR_DRAFT_06_RARE enum bbr_draft_06_outcome bbr_draft_06_check_drain_done(struct bbr_draft_06 *s) {
    int by_flight = s->inflight <= bbr_draft_06_quantized(s, bbr_draft_06_bdp_multiple(s, 1)); /* [bbr.drain.done] */
    if (!by_flight && s->round_count <= s->drain_start_round + BBR_DRAFT_06_DRAIN_ROUNDS) /* [bbr.drain.rounds] */
        return BBR_DRAFT_06_UNCHANGED;
    s->phase = BBR_DRAFT_06_PROBE_BW; /* [bbr.probe-bw] */
    s->pacing_gain = BBR_DRAFT_06_CRUISE_PACING_GAIN;
    s->model_changed = 1;
    return by_flight ? BBR_DRAFT_06_DRAINED : BBR_DRAFT_06_DRAIN_TIMED_OUT;
}

/* 5.3.4.3: the smallest sample of about ten seconds, computed from the smallest of five seconds. */
static inline void bbr_draft_06_update_min_rtt(struct bbr_draft_06 *s, const struct bbr_draft_06_ack *rs) {
    int expired = rs->now_ns > s->probe_rtt_min_stamp + BBR_DRAFT_06_PROBE_RTT_INTERVAL_NS;
    if (rs->rtt_ns != BBR_DRAFT_06_NONE && (rs->rtt_ns < s->probe_rtt_min_delay || expired)) { /* NONE is above all */
        s->probe_rtt_min_delay = rs->rtt_ns; /* [bbr.min-rtt.delay] */
        s->probe_rtt_min_stamp = rs->now_ns;
    }
    if (s->probe_rtt_min_delay == BBR_DRAFT_06_NONE)
        return;
    if (s->probe_rtt_min_delay < s->min_rtt || rs->now_ns > s->min_rtt_stamp + BBR_DRAFT_06_MIN_RTT_FILTER_NS) {
        s->min_rtt = s->probe_rtt_min_delay; /* [bbr.min-rtt] */
        s->model_changed = 1;
        s->min_rtt_stamp = s->probe_rtt_min_stamp;
    }
}

/* Update pacing rate, send quantum and BDP after a change of the model, which is rare after Startup. */
BBR_DRAFT_06_RARE void bbr_draft_06_apply_model(struct bbr_draft_06 *s, uint64_t smoothed_rtt_ns) {
    s->model_changed = 0;
    bbr_draft_06_set_pacing_rate(s, smoothed_rtt_ns);
    bbr_draft_06_set_send_quantum(s);
    if (s->min_rtt != BBR_DRAFT_06_NONE)
        s->bdp = bbr_draft_06_scaled(s->bw.bytes, s->min_rtt, s->bw.ns);
}

/* 5.6.2: until the pipe is full, the rate only rises. The first RTT (open: or the handshake) sets it initially. */
static inline void bbr_draft_06_set_pacing_rate(struct bbr_draft_06 *s, uint64_t smoothed_rtt_ns) {
    if (smoothed_rtt_ns != BBR_DRAFT_06_NONE && smoothed_rtt_ns != 0 && !s->srtt_known) {
        s->srtt_known = 1;
        bbr_draft_06_init_pacing_rate(s, smoothed_rtt_ns); /* [bbr.pacing.initial.sample] */
    }
    uint64_t rate = bbr_draft_06_paced(&s->bw, s->pacing_gain * (UINT64_C(100) - BBR_DRAFT_06_PACING_MARGIN_PERCENT));
    if (s->full_bw_reached || rate > s->pacing_rate) /* [bbr.pacing.rises] */
        s->pacing_rate = rate;
}

/* 5.6.3: the bytes of a millisecond, at most 64 KBytes, at least two packets. */
static inline void bbr_draft_06_set_send_quantum(struct bbr_draft_06 *s) {
    s->send_quantum = bbr_draft_06_max(bbr_draft_06_min(s->pacing_rate / 1000, BBR_DRAFT_06_LARGEST_QUANTUM_BYTES), 2 * s->smss);
}

/* 5.6.4.2: gain times the product of bandwidth and minimum RTT; without an RTT the initial window. */
static inline uint64_t bbr_draft_06_bdp_multiple(const struct bbr_draft_06 *s, uint64_t gain) {
    if (s->min_rtt == BBR_DRAFT_06_NONE)
        return s->initial_cwnd; /* [bbr.bdp.none] */
    return bbr_draft_06_min(gain * s->bdp, BBR_DRAFT_06_MOST);
}

/* QuantizationBudget, with the offload budget of QUIC (5.5.8.2). */
static inline uint64_t bbr_draft_06_quantized(const struct bbr_draft_06 *s, uint64_t inflight_cap) {
    return bbr_draft_06_max(inflight_cap, bbr_draft_06_max(s->send_quantum, 4 * s->smss));
}

/* 5.6.4.6: the window grows by the acknowledged bytes towards max_inflight. */
static inline void bbr_draft_06_set_cwnd(struct bbr_draft_06 *s, uint64_t newly_acked) {
    uint64_t grown = bbr_draft_06_min(s->cwnd + newly_acked, BBR_DRAFT_06_MOST);
    uint64_t max_inflight = bbr_draft_06_quantized(s, bbr_draft_06_bdp_multiple(s, BBR_DRAFT_06_CWND_GAIN) + s->extra_acked);
    if (s->full_bw_reached)
        s->cwnd = bbr_draft_06_min(grown, max_inflight); /* [bbr.cwnd.bounded] */
    else if (s->cwnd < max_inflight || s->delivered < s->initial_cwnd)
        s->cwnd = grown; /* [bbr.cwnd.grow] */
    s->cwnd = bbr_draft_06_max(s->cwnd, 4 * s->smss); /* [bbr.cwnd.least] */
    bbr_draft_06_bound_cwnd_for_model(s);
}

/* 5.6.4.7: the short-term bound in every state, the long-term bound after Drain. */
static inline void bbr_draft_06_bound_cwnd_for_model(struct bbr_draft_06 *s) {
    uint64_t cap = s->phase == BBR_DRAFT_06_PROBE_BW ? s->inflight_longterm : BBR_DRAFT_06_NONE;
    cap = bbr_draft_06_max(bbr_draft_06_min(cap, s->inflight_shortterm), 4 * s->smss);
    s->cwnd = bbr_draft_06_min(s->cwnd, cap); /* [bbr.cwnd.short-term] [bbr.cwnd.long-term] */
}

/* 5.2.4: process lost packets; newest_sent_ns is their latest send time. */
static inline enum bbr_draft_06_outcome bbr_draft_06_on_lost(struct bbr_draft_06 *s, uint64_t now_ns, uint64_t bytes_in_flight,
                                                             uint64_t newest_sent_ns) {
    s->inflight = bbr_draft_06_min(bytes_in_flight, BBR_DRAFT_06_MOST);
    return bbr_draft_06_on_congestion(s, newest_sent_ns, now_ns);
}

/* 5.3.1.3: count a range of consecutive packets, unless it directly follows the last lost packet (open). */
static inline void bbr_draft_06_on_lost_range(struct bbr_draft_06 *s, uint64_t first, uint64_t last) {
    s->lost_ranges += first != s->after_lost;
    s->after_lost = last + 1;
}

/* 5.6.4.4: OnEnterFastRecovery, when a recovery period of RFC 9002 begins. In recovery it is extended (open). */
static inline enum bbr_draft_06_outcome bbr_draft_06_on_congestion(struct bbr_draft_06 *s, uint64_t sent_ns, uint64_t now_ns) {
    if (sent_ns > s->recovery_start) { /* [bbr.recovery.once] */
        if (!s->in_recovery) {
            bbr_draft_06_save_state_upon_loss(s); /* [bbr.recovery.begin] */
            s->recovery_delivered = s->delivered;
            s->by_timeout = 0;
        }
        s->in_recovery = 1;
        s->recovery_start = now_ns;
    }
    return bbr_draft_06_note_loss(s);
}

/* 5.5.10.2: the first loss of a round begins a new loss round. */
static inline enum bbr_draft_06_outcome bbr_draft_06_note_loss(struct bbr_draft_06 *s) {
    if (s->is_loss_in_round)
        return BBR_DRAFT_06_ALREADY_NOTED;
    s->is_loss_in_round = 1; /* [bbr.loss-round.begins] */
    s->loss_round_delivered = s->delivered;
    bbr_draft_06_save_state_upon_loss(s);
    return BBR_DRAFT_06_LOSS_NOTED;
}

/* 5.5.11.1, with SaveCwnd of 5.6.4.4. */
static inline void bbr_draft_06_save_state_upon_loss(struct bbr_draft_06 *s) {
    s->prior_cwnd = s->in_recovery ? bbr_draft_06_max(s->prior_cwnd, s->cwnd) : s->cwnd; /* [bbr.saved.cwnd] [bbr.saved.recovery] */
    s->undo_phase = BBR_DRAFT_06_NO_PHASE;
    s->undo_bw_shortterm = s->bw_shortterm; /* [bbr.saved] */
    s->undo_inflight_shortterm = s->inflight_shortterm;
    s->undo_inflight_longterm = s->inflight_longterm;
}

/* 5.6.4.4: on a timeout, here persistent congestion, cwnd becomes the flight plus one packet (its size is open). */
static inline enum bbr_draft_06_outcome bbr_draft_06_on_enter_rto(struct bbr_draft_06 *s, uint64_t now_ns) {
    bbr_draft_06_save_state_upon_loss(s);
    s->in_recovery = s->by_timeout = 1;
    s->recovery_start = now_ns;
    s->recovery_delivered = s->delivered;
    s->cwnd = bbr_draft_06_min(s->inflight + s->smss, BBR_DRAFT_06_MOST); /* [bbr.timeout] */
    return BBR_DRAFT_06_COLLAPSED;
}

/* 5.5.11.2: restore window and bounds, and return to Startup if the losses ended it. NONE is the largest volume. */
static inline enum bbr_draft_06_outcome bbr_draft_06_handle_spurious_loss_detection(struct bbr_draft_06 *s) {
    uint8_t undo = s->undo_phase;
    s->cwnd = bbr_draft_06_max(s->cwnd, s->prior_cwnd); /* [bbr.undo] */
    s->in_recovery = s->is_loss_in_round = 0;
    bbr_draft_06_reset_full_bw(s);
    if (s->undo_bw_shortterm.bytes == BBR_DRAFT_06_NONE)
        s->bw_shortterm = s->undo_bw_shortterm;
    else if (s->bw_shortterm.bytes != BBR_DRAFT_06_NONE)
        bbr_draft_06_higher(&s->bw_shortterm, &s->undo_bw_shortterm);
    s->inflight_shortterm = bbr_draft_06_max(s->inflight_shortterm, s->undo_inflight_shortterm);
    s->inflight_longterm = bbr_draft_06_max(s->inflight_longterm, s->undo_inflight_longterm);
    s->undo_phase = BBR_DRAFT_06_NO_PHASE;
    if (undo != BBR_DRAFT_06_STARTUP || s->phase == BBR_DRAFT_06_STARTUP)
        return BBR_DRAFT_06_RESTORED;
    s->full_bw_reached = 0; /* [bbr.undo.startup] */
    s->phase = BBR_DRAFT_06_STARTUP;
    s->pacing_gain = BBR_DRAFT_06_STARTUP_PACING_GAIN;
    s->model_changed = 1;
    return BBR_DRAFT_06_STARTUP_RESUMED;
}

/* RFC 9002, section 7.2: change SMSS; a decrease in the handshake may reduce the window. */
static inline enum bbr_draft_06_outcome bbr_draft_06_on_datagram_size(struct bbr_draft_06 *s, uint32_t max_datagram_size,
                                                                      int handshake) {
    if (handshake && max_datagram_size < s->smss)
        s->cwnd = bbr_draft_06_min(s->cwnd, bbr_draft_06_initial_window(max_datagram_size)); /* [slow-start.datagram-size.handshake] */
    s->smss = max_datagram_size; /* [slow-start.datagram-size.minimum] */
    s->model_changed = 1; /* updates the send quantum */
    return BBR_DRAFT_06_UNCHANGED;
}

#endif
