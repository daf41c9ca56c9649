/* The invariant of careful_resume_rfc_9959.h; include that header first. */
#ifndef CAREFUL_RESUME_RFC_9959_INVARIANT_H
#define CAREFUL_RESUME_RFC_9959_INVARIANT_H

static inline int careful_resume_rfc_9959_saved_invariant(const struct careful_resume_rfc_9959_saved *saved) {
    return saved->saved_cwnd >> 62 == 0 && saved->saved_rtt >> 59 == 0 && saved->beta_denominator >= 1 &&
           saved->beta_denominator < 65536 && saved->beta_numerator <= saved->beta_denominator;
}

static inline int careful_resume_rfc_9959_pacing_invariant(const struct careful_resume_rfc_9959 *s) {
    return s->paced_from_ns <= CAREFUL_RESUME_RFC_9959_TIME_MAX && s->paced <= CAREFUL_RESUME_RFC_9959_WINDOW_MAX &&
           s->paced_rtt <= CAREFUL_RESUME_RFC_9959_TIME_MAX && s->jump_cwnd <= CAREFUL_RESUME_RFC_9959_WINDOW_MAX &&
           (s->phase != CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED || s->jump_cwnd > 0);
}

/* now: time of the last event. */
static inline int careful_resume_rfc_9959_invariant(const struct careful_resume_rfc_9959 *s, uint64_t now) {
    uint64_t end = UINT64_C(1) << 62;
    int phase = (int)s->phase >= 0 && s->phase <= CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT;
    int sizes = s->max_datagram_size >= 1 && s->max_datagram_size < 65536 && s->initial_window < end && s->flight_size < end &&
                s->pipesize < end && s->initial_data < end;
    int numbers = s->after_highest_sent <= end && s->after_highest_acked <= end && s->first_initial_packet <= end &&
                  s->after_last_initial_packet <= end && s->after_first_unvalidated_packet <= end && s->after_last_unvalidated_packet <= end;
    int times = s->current_rtt >> 59 == 0 && (s->minimum_rtt >> 59 == 0 || s->minimum_rtt == CAREFUL_RESUME_RFC_9959_NONE) &&
                s->entry_ns <= now;
    return phase && sizes && numbers && times && careful_resume_rfc_9959_saved_invariant(&s->saved) &&
           careful_resume_rfc_9959_pacing_invariant(s);
}

#endif
