/* The invariant of hystartpp_rfc_9406.h; include that header first. */
#ifndef HYSTARTPP_RFC_9406_INVARIANT_H
#define HYSTARTPP_RFC_9406_INVARIANT_H

static inline int hystartpp_rfc_9406_is_rtt(uint64_t rtt) {
    return rtt < UINT64_C(1) << 59 || rtt == HYSTARTPP_RFC_9406_INFINITY;
}

/* acks: number of ACKs so far. */
static inline int hystartpp_rfc_9406_invariant(const struct hystartpp_rfc_9406 *s, uint64_t acks) {
    int rtts = hystartpp_rfc_9406_is_rtt(s->last_round_min_rtt) && hystartpp_rfc_9406_is_rtt(s->current_round_min_rtt) &&
               hystartpp_rfc_9406_is_rtt(s->css_baseline_min_rtt);
    int rounds = s->in_css ? s->css_rounds < HYSTARTPP_RFC_9406_CSS_ROUNDS : s->css_rounds <= HYSTARTPP_RFC_9406_CSS_ROUNDS;
    return rtts && rounds && s->rtt_sample_count <= acks && s->window_end <= UINT64_C(1) << 62 && (s->in_css == 0 || s->in_css == 1);
}

#endif
