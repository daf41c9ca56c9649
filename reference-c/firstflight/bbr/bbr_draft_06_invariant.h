/* The invariant of bbr_draft_06.h; include that header first. */
#ifndef BBR_DRAFT_06_INVARIANT_H
#define BBR_DRAFT_06_INVARIANT_H

/* The rate of a sample or of the initial window, or the zero rate. 7/10 of a rate is also a rate. */
static inline int bbr_draft_06_is_rate(struct bbr_draft_06_rate rate) {
    return rate.bytes < UINT64_C(1) << 62 && rate.ns >= 1 && rate.ns < UINT64_C(1) << 59;
}

static inline int bbr_draft_06_is_bound(struct bbr_draft_06_rate rate) {
    return bbr_draft_06_is_rate(rate) || (rate.bytes == BBR_DRAFT_06_NONE && rate.ns == 1);
}

static inline int bbr_draft_06_is_volume(uint64_t bytes) { return bytes <= UINT64_C(1) << 62 || bytes == BBR_DRAFT_06_NONE; }

static inline int bbr_draft_06_is_rtt(uint64_t ns) { return ns < UINT64_C(1) << 59 || ns == BBR_DRAFT_06_NONE; }

static inline int bbr_draft_06_is_time(uint64_t ns) { return ns < UINT64_C(1) << 59; }

static inline int bbr_draft_06_invariant_of_path(const struct bbr_draft_06 *s) {
    return bbr_draft_06_is_rate(s->bw) && bbr_draft_06_is_rate(s->max_bw) && bbr_draft_06_is_rate(s->bw_latest) &&
           bbr_draft_06_is_rate(s->full_bw) && bbr_draft_06_is_bound(s->bw_shortterm) && bbr_draft_06_is_bound(s->undo_bw_shortterm) &&
           bbr_draft_06_is_rtt(s->min_rtt) && bbr_draft_06_is_rtt(s->probe_rtt_min_delay) && bbr_draft_06_is_time(s->min_rtt_stamp) &&
           bbr_draft_06_is_time(s->probe_rtt_min_stamp) && s->inflight_latest < UINT64_C(1) << 62 &&
           bbr_draft_06_is_volume(s->inflight_shortterm) && bbr_draft_06_is_volume(s->inflight_longterm) &&
           bbr_draft_06_is_volume(s->undo_inflight_shortterm) && bbr_draft_06_is_volume(s->undo_inflight_longterm);
}

static inline int bbr_draft_06_invariant(const struct bbr_draft_06 *s) {
    for (int i = 0; i < BBR_DRAFT_06_EXTRA_ACKED_ROUNDS; i++)
        if (s->extra_acked_rounds[i] > UINT64_C(1) << 62)
            return 0;
    return bbr_draft_06_invariant_of_path(s) && s->smss >= 1 && s->smss < UINT64_C(1) << 16 && s->initial_cwnd >= 1 &&
           s->initial_cwnd < UINT64_C(1) << 62 && s->cwnd <= UINT64_C(1) << 62 && s->prior_cwnd <= UINT64_C(1) << 62 &&
           s->pacing_rate >= 1 && s->pacing_rate < UINT64_C(1) << 62 &&
           s->bdp < UINT64_C(1) << 62 &&
           (bbr_draft_06_is_time(s->next_release_ns) || s->next_release_ns == BBR_DRAFT_06_NONE) &&
           s->send_quantum < UINT64_C(1) << 17 && s->inflight < UINT64_C(1) << 62 && s->delivered < UINT64_C(1) << 63 &&
           s->extra_acked <= UINT64_C(1) << 62 && s->extra_acked_now <= UINT64_C(1) << 62 &&
           s->extra_acked_recent <= UINT64_C(1) << 62 && s->extra_acked_place < BBR_DRAFT_06_EXTRA_ACKED_ROUNDS &&
           bbr_draft_06_is_time(s->extra_acked_interval_start) &&
           s->drain_start_round <= s->round_count && s->phase <= BBR_DRAFT_06_PROBE_BW && s->undo_phase <= BBR_DRAFT_06_NO_PHASE &&
           (s->full_bw_count < 3 || (s->full_bw_count == 3 && s->full_bw_now)) &&
           s->pacing_gain >= 50 && s->pacing_gain <= 277;
}

#endif
