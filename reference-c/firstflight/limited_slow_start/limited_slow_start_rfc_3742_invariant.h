/* The invariant of limited_slow_start_rfc_3742.h; include that header first. */
#ifndef LIMITED_SLOW_START_RFC_3742_INVARIANT_H
#define LIMITED_SLOW_START_RFC_3742_INVARIANT_H

static inline int limited_slow_start_rfc_3742_invariant(const struct limited_slow_start_rfc_3742 *s) {
    return s->max_datagram_size >= 1 && s->max_datagram_size < UINT64_C(1) << 16 && s->max_ssthresh == 100 * s->max_datagram_size;
}

#endif
