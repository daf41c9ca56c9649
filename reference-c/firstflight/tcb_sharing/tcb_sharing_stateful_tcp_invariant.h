/* The invariant of tcb_sharing_stateful_tcp.h; include that header first. */
#ifndef TCB_SHARING_STATEFUL_TCP_INVARIANT_H
#define TCB_SHARING_STATEFUL_TCP_INVARIANT_H

static inline int tcb_sharing_stateful_tcp_invariant(const struct tcb_sharing_stateful_tcp *s) {
    if (s->max_datagram_size < 1 || s->max_datagram_size >= UINT32_C(1) << 16 || s->count > TCB_SHARING_STATEFUL_TCP_LAST_COUNT + 1)
        return 0;
    if (s->start_ns >= UINT64_C(1) << 59 || s->min_rtt >= UINT64_C(1) << 59)
        return 0;
    int windows = s->sent <= s->bdp && s->bdp <= s->cached_window && s->cached_window <= TCB_SHARING_STATEFUL_TCP_WINDOW_MAX;
    return windows && (s->used_flag || s->cached_window > 0) && (s->sent == 0 || s->in_use);
}

#endif
