/* The invariant of jumpstart_pfldnet_2007.h; include that header first. */
#ifndef JUMPSTART_PFLDNET_2007_INVARIANT_H
#define JUMPSTART_PFLDNET_2007_INVARIANT_H

static inline int jumpstart_pfldnet_2007_plan_invariant(const struct jumpstart_pfldnet_2007 *s) {
    return s->paced_packets <= JUMPSTART_PFLDNET_2007_JUMP_MAX && s->planned_packets <= s->paced_packets &&
           s->sent_packets <= s->planned_packets && s->rtt_ns >> 59 == 0 && s->start_ns >> 59 == 0 &&
           (!s->jumping || s->sent_packets < s->planned_packets);
}

static inline int jumpstart_pfldnet_2007_flight_invariant(const struct jumpstart_pfldnet_2007 *s) {
    return s->next_packet <= UINT64_C(1) << 62 && s->first <= s->end && s->end <= s->next_packet && s->recovery_point <= s->next_packet &&
           s->sent_packets <= s->end - s->first;
}

/* Holds for streams with no more packets sent again than sent; the random streams of the tests violate this. */
static inline int jumpstart_pfldnet_2007_r_invariant(const struct jumpstart_pfldnet_2007 *s) { return s->r <= s->next_packet; }

/* window: window of the controller between events. */
static inline int jumpstart_pfldnet_2007_invariant(const struct jumpstart_pfldnet_2007 *s,
                                                   const struct jumpstart_pfldnet_2007_window *window) {
    int size = s->max_datagram_size >= 1 && s->max_datagram_size < 65536;
    int jump = !s->jumping || (s->begun && !window->in_recovery && !s->lost_of_first_flight);
    return size && jump && (s->begun || (s->end == 0 && s->sent_packets == 0 && !s->lost_of_first_flight)) && jumpstart_pfldnet_2007_plan_invariant(s) &&
           jumpstart_pfldnet_2007_flight_invariant(s);
}

#endif
