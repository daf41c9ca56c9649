/* The invariant of rapid_start_draft_02.h; include that header first. */
#ifndef RAPID_START_DRAFT_02_INVARIANT_H
#define RAPID_START_DRAFT_02_INVARIANT_H

static inline int rapid_start_draft_02_is_rtt(uint64_t rtt) {
    return rtt < UINT64_C(1) << 59 || rtt == RAPID_START_DRAFT_02_INFINITY;
}

static inline int rapid_start_draft_02_invariant(const struct rapid_start_draft_02 *s) {
    return rapid_start_draft_02_is_rtt(s->min_rtt) && rapid_start_draft_02_is_rtt(s->rtt_floor) && s->window_end <= UINT64_C(1) << 62 &&
           s->pre_recovery_cwnd < UINT64_C(1) << 62 && s->minimum_window >= 2 && s->minimum_window < UINT64_C(1) << 17;
}

#endif
