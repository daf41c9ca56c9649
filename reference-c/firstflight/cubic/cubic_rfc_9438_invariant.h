/* The invariant of cubic_rfc_9438.h in two parts, windows and clock; include that header first. */
#ifndef CUBIC_RFC_9438_INVARIANT_H
#define CUBIC_RFC_9438_INVARIANT_H

static inline int cubic_rfc_9438_is_window(uint64_t window) {
    return window <= CUBIC_RFC_9438_WINDOW_MAX || window == CUBIC_RFC_9438_NONE;
}

/* In an epoch the curve is above 0 from its beginning. */
static inline int cubic_rfc_9438_curve_invariant(const struct cubic_rfc_9438_variables *v, uint64_t mss) {
    return v->t_epoch == CUBIC_RFC_9438_NONE || (v->w_max <= CUBIC_RFC_9438_WINDOW_MAX && cubic_rfc_9438_rise(mss, v->k) <= v->w_max);
}

/* acks: number of ACKs. Each raises W_est by less than 2^17 bytes, also beyond the largest window, its largest start
 * value. */
static inline int cubic_rfc_9438_variables_invariant(const struct cubic_rfc_9438_variables *v, uint64_t mss, uint64_t acks) {
    int windows = v->cwnd <= CUBIC_RFC_9438_WINDOW_MAX && v->cwnd_prior <= CUBIC_RFC_9438_WINDOW_MAX &&
                  cubic_rfc_9438_is_window(v->ssthresh) && cubic_rfc_9438_is_window(v->w_max);
    int begun = (v->ssthresh == CUBIC_RFC_9438_NONE || v->cwnd > 0) && cubic_rfc_9438_curve_invariant(v, mss);
    return windows && begun && acks >> 40 == 0 && v->w_est <= CUBIC_RFC_9438_WINDOW_MAX + (acks << 17) && v->k >> 52 == 0 &&
           (v->in_recovery == 0 || v->in_recovery == 1);
}

static inline int cubic_rfc_9438_windows_invariant(const struct cubic_rfc_9438 *s, uint64_t acks) {
    return s->mss >= 1 && s->mss < 65536 && cubic_rfc_9438_variables_invariant(&s->now, s->mss, acks) &&
           (!s->has_undo || cubic_rfc_9438_variables_invariant(&s->undo, s->mss, acks));
}

/* An epoch began at t_epoch of the clock that leaves time out. It is stopped since limited_since or idle_since. */
static inline int cubic_rfc_9438_epoch_invariant(const struct cubic_rfc_9438 *s, uint64_t t_epoch, uint64_t now) {
    uint64_t counted = s->limited_since != CUBIC_RFC_9438_NONE ? s->limited_since : s->idle_since != CUBIC_RFC_9438_NONE ? s->idle_since : now;
    return t_epoch == CUBIC_RFC_9438_NONE || (s->left_out <= counted && t_epoch <= counted - s->left_out);
}

/* now: time of the last event. */
static inline int cubic_rfc_9438_clock_invariant(const struct cubic_rfc_9438 *s, uint64_t now) {
    int limited = s->limited_since == CUBIC_RFC_9438_NONE || (s->limited_since <= now && s->left_out <= s->limited_since);
    int idle = s->idle_since == CUBIC_RFC_9438_NONE || (s->idle_since <= now && s->left_out <= s->idle_since);
    int one = s->limited_since == CUBIC_RFC_9438_NONE || s->idle_since == CUBIC_RFC_9438_NONE;
    return limited && idle && one && s->left_out <= now && cubic_rfc_9438_epoch_invariant(s, s->now.t_epoch, now) &&
           (!s->has_undo || cubic_rfc_9438_epoch_invariant(s, s->undo.t_epoch, now));
}

#endif
