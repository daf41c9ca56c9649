/*
 * RFC 9406, section 4: HyStart++, in one header to be copied into a stack. C11 and C++17; no allocation, no floating point, no global
 * state.
 *
 * Packet numbers replace sequence numbers: SND.NXT is the number of the next packet. The sender paces, so L is
 * unlimited. Written from draft -04, available in full, and from quotations of section 4 of the RFC in public code. The
 * same functions in the same order are in reference-py, hystartpp/plain_hystartpp_rfc_9406.py.
 *
 *     struct hystartpp_rfc_9406 hystartpp;
 *     struct hystartpp_rfc_9406_ack ack;
 *     hystartpp_rfc_9406_begin(&hystartpp);
 *     ... for each ACK frame, while ssthresh is infinite, instead of your slow start:
 *     hystartpp_rfc_9406_on_ack(&hystartpp, &ack, &cwnd, &ssthresh);
 *     ... when loss or ECN-CE sets ssthresh: hystartpp_rfc_9406_on_congestion(&hystartpp); your controller does the rest.
 *
 * Domain: RTTs below 2^59 ns (18 years), packet numbers below 2^62, windows below 2^62 bytes, ACKs of less than 2^48 bytes.
 *
 * Invariant: each RTT is below 2^59 or INFINITY; css_rounds is below CSS_ROUNDS in CSS, and at most CSS_ROUNDS outside
 * of it.
 */
#ifndef HYSTARTPP_RFC_9406_H
#define HYSTARTPP_RFC_9406_H

#include <stdint.h>

/* Section 4.3, in ns. */
#define HYSTARTPP_RFC_9406_MIN_RTT_THRESH UINT64_C(4000000)
#define HYSTARTPP_RFC_9406_MAX_RTT_THRESH UINT64_C(16000000)
#define HYSTARTPP_RFC_9406_INFINITY (UINT64_C(1) << 60) /* above every RTT */
#define HYSTARTPP_RFC_9406_NO_SAMPLE UINT64_MAX

enum {
    HYSTARTPP_RFC_9406_MIN_RTT_DIVISOR = 8,
    HYSTARTPP_RFC_9406_N_RTT_SAMPLE = 8,
    HYSTARTPP_RFC_9406_CSS_GROWTH_DIVISOR = 4,
    HYSTARTPP_RFC_9406_CSS_ROUNDS = 5
};

enum hystartpp_rfc_9406_outcome {
    HYSTARTPP_RFC_9406_APP_LIMITED,
    HYSTARTPP_RFC_9406_GROWN,
    HYSTARTPP_RFC_9406_CONSERVATIVE_GROWN,
    HYSTARTPP_RFC_9406_CONSERVATIVE_BEGUN,
    HYSTARTPP_RFC_9406_SLOW_START_RESUMED,
    HYSTARTPP_RFC_9406_EXITED /* ssthresh was set to the window */
};

/* The variables of section 4.2, whether the sender is in CSS, and the number of complete rounds in CSS. */
struct hystartpp_rfc_9406 {
    uint64_t last_round_min_rtt;
    uint64_t current_round_min_rtt;
    uint64_t rtt_sample_count;
    uint64_t window_end;
    uint64_t css_baseline_min_rtt;
    int in_css;
    uint32_t css_rounds;
};

/* An ACK frame: largest newly acknowledged packet, SND.NXT, bytes, and the RTT sample, if any. */
struct hystartpp_rfc_9406_ack {
    uint64_t largest_packet;
    uint64_t snd_nxt;
    uint64_t bytes;
    uint64_t rtt_ns; /* or HYSTARTPP_RFC_9406_NO_SAMPLE */
    int app_limited;
};

static inline void hystartpp_rfc_9406_start_round(struct hystartpp_rfc_9406 *s, uint64_t snd_nxt);
static inline enum hystartpp_rfc_9406_outcome
hystartpp_rfc_9406_update_cwnd(const struct hystartpp_rfc_9406 *s, const struct hystartpp_rfc_9406_ack *ack, uint64_t *cwnd);
static inline int hystartpp_rfc_9406_rtt_increased(const struct hystartpp_rfc_9406 *s);
static inline void hystartpp_rfc_9406_enter_css(struct hystartpp_rfc_9406 *s);
static inline int hystartpp_rfc_9406_rtt_dropped(const struct hystartpp_rfc_9406 *s);
static inline void hystartpp_rfc_9406_resume_slow_start(struct hystartpp_rfc_9406 *s);
static inline void hystartpp_rfc_9406_enter_congestion_avoidance(struct hystartpp_rfc_9406 *s, uint64_t cwnd,
                                                                 uint64_t *ssthresh);

/* Begin before anything was sent: windowEnd = SND.NXT = 0, without RTTs. */
static inline void hystartpp_rfc_9406_begin(struct hystartpp_rfc_9406 *s) {
    s->last_round_min_rtt = HYSTARTPP_RFC_9406_INFINITY; /* [hystartpp.begin] */
    s->current_round_min_rtt = HYSTARTPP_RFC_9406_INFINITY;
    s->rtt_sample_count = 0;
    s->window_end = 0;
    s->css_baseline_min_rtt = HYSTARTPP_RFC_9406_INFINITY;
    s->in_css = 0;
    s->css_rounds = 0;
}

/* Loss or ECN-CE set ssthresh: HyStart++ ends. */
static inline void hystartpp_rfc_9406_on_congestion(struct hystartpp_rfc_9406 *s) {
    s->in_css = 0; /* [hystartpp.loss] */
}

/* Process an arriving ACK in slow start or in CSS, while ssthresh has its initial value [hystartpp.scope.initial]. */
static inline enum hystartpp_rfc_9406_outcome hystartpp_rfc_9406_on_ack(struct hystartpp_rfc_9406 *s,
                                                                        const struct hystartpp_rfc_9406_ack *ack,
                                                                        uint64_t *cwnd, uint64_t *ssthresh) {
    if (ack->largest_packet >= s->window_end)
        hystartpp_rfc_9406_start_round(s, ack->snd_nxt); /* [hystartpp.round.end] */
    enum hystartpp_rfc_9406_outcome outcome = hystartpp_rfc_9406_update_cwnd(s, ack, cwnd);
    if (ack->rtt_ns != HYSTARTPP_RFC_9406_NO_SAMPLE) { /* the text does not cover ACKs without a sample; they are not
    tested */
        if (ack->rtt_ns < s->current_round_min_rtt)
            s->current_round_min_rtt = ack->rtt_ns;
        s->rtt_sample_count++; /* [hystartpp.sample] */
        if (s->in_css && hystartpp_rfc_9406_rtt_dropped(s)) {
            hystartpp_rfc_9406_resume_slow_start(s);
            return HYSTARTPP_RFC_9406_SLOW_START_RESUMED;
        }
        if (!s->in_css && hystartpp_rfc_9406_rtt_increased(s)) {
            hystartpp_rfc_9406_enter_css(s);
            return HYSTARTPP_RFC_9406_CONSERVATIVE_BEGUN;
        }
    }
    if (s->css_rounds == HYSTARTPP_RFC_9406_CSS_ROUNDS) {
        hystartpp_rfc_9406_enter_congestion_avoidance(s, *cwnd, ssthresh);
        return HYSTARTPP_RFC_9406_EXITED;
    }
    return outcome;
}

/* Start a round: windowEnd is acknowledged. */
static inline void hystartpp_rfc_9406_start_round(struct hystartpp_rfc_9406 *s, uint64_t snd_nxt) {
    s->window_end = snd_nxt;
    s->last_round_min_rtt = s->current_round_min_rtt;
    s->current_round_min_rtt = HYSTARTPP_RFC_9406_INFINITY;
    s->rtt_sample_count = 0;
    if (s->in_css)
        s->css_rounds++; /* [hystartpp.css.rounds] */
}

/* Grow by N, in CSS by N / 4, rounded down; not while the window is underused (RFC 9002, section 7.8). */
static inline enum hystartpp_rfc_9406_outcome
hystartpp_rfc_9406_update_cwnd(const struct hystartpp_rfc_9406 *s, const struct hystartpp_rfc_9406_ack *ack, uint64_t *cwnd) {
    if (ack->app_limited)
        return HYSTARTPP_RFC_9406_APP_LIMITED;
    if (s->in_css) {
        *cwnd += ack->bytes / HYSTARTPP_RFC_9406_CSS_GROWTH_DIVISOR; /* [hystartpp.css.grow] [hystartpp.css.rounding] */
        return HYSTARTPP_RFC_9406_CONSERVATIVE_GROWN;
    }
    *cwnd += ack->bytes; /* [hystartpp.grow] below 2^62 + 2^48 */
    return HYSTARTPP_RFC_9406_GROWN;
}

/* Check whether a delay increase triggers the exit from slow start. */
static inline int hystartpp_rfc_9406_rtt_increased(const struct hystartpp_rfc_9406 *s) {
    if (s->rtt_sample_count < HYSTARTPP_RFC_9406_N_RTT_SAMPLE)
        return 0; /* [hystartpp.delay.samples] */
    if (s->last_round_min_rtt == HYSTARTPP_RFC_9406_INFINITY)
        return 0; /* [hystartpp.delay.first-round] */
    /* All terms are multiplied by MIN_RTT_DIVISOR, to avoid rounding; they are below 2^62 + 2^28. */
    uint64_t rtt_thresh = s->last_round_min_rtt;
    uint64_t most = HYSTARTPP_RFC_9406_MIN_RTT_DIVISOR * HYSTARTPP_RFC_9406_MAX_RTT_THRESH;
    uint64_t least = HYSTARTPP_RFC_9406_MIN_RTT_DIVISOR * HYSTARTPP_RFC_9406_MIN_RTT_THRESH;
    if (rtt_thresh > most)
        rtt_thresh = most; /* [hystartpp.delay.maximum] */
    if (rtt_thresh < least)
        rtt_thresh = least; /* [hystartpp.delay.minimum] */
    uint64_t bound = HYSTARTPP_RFC_9406_MIN_RTT_DIVISOR * s->last_round_min_rtt + rtt_thresh;
    return HYSTARTPP_RFC_9406_MIN_RTT_DIVISOR * s->current_round_min_rtt >= bound; /* [hystartpp.delay] */
}

/* Leave slow start for CSS. */
static inline void hystartpp_rfc_9406_enter_css(struct hystartpp_rfc_9406 *s) {
    s->css_baseline_min_rtt = s->current_round_min_rtt; /* [hystartpp.css.begin] */
    s->in_css = 1;
    s->css_rounds = 0;
}

/* Check whether the minimum RTT of the round is below the baseline: the exit from slow start was spurious. */
static inline int hystartpp_rfc_9406_rtt_dropped(const struct hystartpp_rfc_9406 *s) {
    if (s->rtt_sample_count < HYSTARTPP_RFC_9406_N_RTT_SAMPLE)
        return 0; /* [hystartpp.css.samples] */
    return s->current_round_min_rtt < s->css_baseline_min_rtt;
}

/* Resume slow start including HyStart++. */
static inline void hystartpp_rfc_9406_resume_slow_start(struct hystartpp_rfc_9406 *s) {
    s->css_baseline_min_rtt = HYSTARTPP_RFC_9406_INFINITY; /* [hystartpp.css.resume] */
    s->in_css = 0;
    s->css_rounds = 0;
}

/* End CSS after its rounds. */
static inline void hystartpp_rfc_9406_enter_congestion_avoidance(struct hystartpp_rfc_9406 *s, uint64_t cwnd,
                                                                 uint64_t *ssthresh) {
    *ssthresh = cwnd; /* [hystartpp.css.exit] */
    s->in_css = 0;
}

#endif
