/* The invariant of quick_start_rfc_4782.h; include that header first. */
#ifndef QUICK_START_RFC_4782_INVARIANT_H
#define QUICK_START_RFC_4782_INVARIANT_H

static inline int quick_start_rfc_4782_invariant(const struct quick_start_rfc_4782 *s) {
    if (s->max_datagram_size < 1 || s->max_datagram_size >= UINT64_C(1) << 16)
        return 0;
    int packets = s->sent_packets <= s->qs_packets && s->qs_packets <= QUICK_START_RFC_4782_JUMP_MAX / s->max_datagram_size;
    return packets && s->first <= s->next_packet && (s->mode || (s->first <= s->end && s->end <= s->next_packet));
}

#endif
