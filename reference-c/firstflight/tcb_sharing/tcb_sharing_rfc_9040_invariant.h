/* The invariant of tcb_sharing_rfc_9040.h; include that header first. */
#ifndef TCB_SHARING_RFC_9040_INVARIANT_H
#define TCB_SHARING_RFC_9040_INVARIANT_H

static inline int tcb_sharing_rfc_9040_invariant(const struct tcb_sharing_rfc_9040 *s) {
    return s->max_datagram_size >= 1 && s->max_datagram_size < UINT32_C(1) << 16;
}

#endif
