/*
 * Stateful-TCP, scubic_release.c at 995b6a36: a window from the cached bandwidth and minimum RTT, paced until the first
 * ACK. One header to be copied into a stack. C11 and C++17; no allocation, no floating point, no global state.
 *
 * Names are from the code. The code counts packets; this header counts bytes. The code runs on CUBIC with HyStart, and
 * ends a startup in every connection; here a startup ends only in a connection with cached values. The same functions
 * in the same order are in reference-py, tcb_sharing/plain_tcb_sharing_stateful_tcp.py.
 *
 *     struct tcb_sharing_stateful_tcp stateful;
 *     tcb_sharing_stateful_tcp_begin(&stateful, max_datagram_size);
 *     ... when connection setup is complete: tcb_sharing_stateful_tcp_on_saved_path(&stateful, &cached, now, &cwnd);
 *     ... for packets sent: tcb_sharing_stateful_tcp_on_sent(...), not before tcb_sharing_stateful_tcp_next_release_ns(&stateful);
 *     ... for each ACK frame: tcb_sharing_stateful_tcp_on_ack(...), then your controller grows the window;
 *     ... when your controller reduces it: tcb_sharing_stateful_tcp_on_congestion(&stateful).
 *
 * Domain: times in ns from 1, below 2^59 (18 years); windows below 2^62. A datagram has 1 to 2^16 - 1 bytes, a send
 * less than 2^62 bytes.
 *
 * Invariant: sent <= bdp <= cached_window < 2^62, start_ns and min_rtt below 2^59, count at most 11. During the startup
 * cached_window is positive; sent is 0 until in_use.
 */
#ifndef TCB_SHARING_STATEFUL_TCP_H
#define TCB_SHARING_STATEFUL_TCP_H

#include <stdint.h>

/* BPF lacks 128-bit products: hide an operand from the optimiser, which would recognise a product. */
#if defined(__bpf__)
#define TCB_SHARING_STATEFUL_TCP_HIDDEN(x) \
    __extension__({ uint64_t hidden_ = (x); __asm__("" : "+r"(hidden_)); hidden_; })
#else
#define TCB_SHARING_STATEFUL_TCP_HIDDEN(x) (x)
#endif

#define TCB_SHARING_STATEFUL_TCP_NONE UINT64_MAX /* no RTT sample, no time */
#define TCB_SHARING_STATEFUL_TCP_WINDOW_MAX ((UINT64_C(1) << 62) - 1)

/* ACKs with a number above LAST_COUNT, counted from 0, end the startup with any flight. */
enum {
    TCB_SHARING_STATEFUL_TCP_INIT_CWND = 10,
    TCB_SHARING_STATEFUL_TCP_MIN_INFLIGHT_TO_EXIT_STARTUP_PHASE = 5,
    TCB_SHARING_STATEFUL_TCP_LAST_COUNT = 10
};

enum tcb_sharing_stateful_tcp_outcome {
    TCB_SHARING_STATEFUL_TCP_UNCHANGED,
    TCB_SHARING_STATEFUL_TCP_SAVED_SET_ABSENT,
    TCB_SHARING_STATEFUL_TCP_ENDPOINT_MISMATCH,
    TCB_SHARING_STATEFUL_TCP_TCB_IGNORED,
    TCB_SHARING_STATEFUL_TCP_TCB_SHARED,
    TCB_SHARING_STATEFUL_TCP_PACED_STARTUP_ENDED
};

/* The entry of the cache; window 0 without one. Its bandwidth is window / min_rtt. max_window: UINT64_MAX for none. */
struct tcb_sharing_stateful_tcp_cached {
    uint64_t window;
    uint64_t min_rtt;
    uint64_t max_window;
    uint8_t endpoint_matches;
};

/* used_flag: the startup has ended or never began. sent: bytes of bdp sent since start_ns. */
struct tcb_sharing_stateful_tcp {
    uint64_t bdp;
    uint64_t sent;
    uint64_t start_ns;
    uint64_t cached_window;
    uint64_t min_rtt;
    uint32_t max_datagram_size;
    uint8_t in_use;
    uint8_t used_flag;
    uint8_t count;
};

/*
 * Packets of the startup leave at the cached pacing rate: sent * min_rtt / cached_window ns after its beginning. The
 * product may have 121 bits: if 64 are too few, it is computed and divided bit by bit of the RTT. The quotient is less
 * than the RTT.
 */
static inline uint64_t tcb_sharing_stateful_tcp_next_release_ns(const struct tcb_sharing_stateful_tcp *s) {
    uint64_t offset = 0, rest = 0;
    if (s->used_flag || s->sent >= s->bdp)
        return TCB_SHARING_STATEFUL_TCP_NONE;
    if (s->sent == 0 || s->min_rtt <= TCB_SHARING_STATEFUL_TCP_HIDDEN(UINT64_MAX / s->sent))
        return s->start_ns + s->sent * s->min_rtt / s->cached_window; /* [tcb-sharing.startup.pacing] */
    for (int i = 59; i-- > 0;) {
        rest = 2 * rest + (s->min_rtt >> i & 1 ? s->sent : 0); /* < 3 * 2^62 < 2^64 */
        uint64_t digit = rest < s->cached_window ? 0 : rest < 2 * s->cached_window ? 1 : 2;
        offset = 2 * offset + digit;
        rest -= digit * s->cached_window;
    }
    return s->start_ns + offset; /* [tcb-sharing.startup.pacing] */
}

/* Begin; without a cache the connection is ordinary. */
static inline void tcb_sharing_stateful_tcp_begin(struct tcb_sharing_stateful_tcp *s, uint32_t max_datagram_size) {
    s->bdp = s->sent = s->start_ns = s->cached_window = s->min_rtt = 0;
    s->max_datagram_size = max_datagram_size;
    s->in_use = s->count = 0;
    s->used_flag = 1; /* [tcb-sharing.begin] */
}

/* bictcp_cwnd_event, CA_EVENT_TX_START: use the window of an entry of the address with a BDP above INIT_CWND. */
static inline enum tcb_sharing_stateful_tcp_outcome
tcb_sharing_stateful_tcp_on_saved_path(struct tcb_sharing_stateful_tcp *s, const struct tcb_sharing_stateful_tcp_cached *cached,
                                       uint64_t now, uint64_t *cwnd) {
    if (s->in_use)
        return TCB_SHARING_STATEFUL_TCP_UNCHANGED; /* [tcb-sharing.initialisation] */
    if (cached->window == 0 || cached->min_rtt == 0)
        return TCB_SHARING_STATEFUL_TCP_SAVED_SET_ABSENT; /* [tcb-sharing.absent] */
    if (!cached->endpoint_matches)
        return TCB_SHARING_STATEFUL_TCP_ENDPOINT_MISMATCH; /* [tcb-sharing.host-pair] */
    uint64_t allowed = cached->window < cached->max_window ? cached->window : cached->max_window; /* [tcb-sharing.window.allowed] */
    uint64_t packets = allowed / s->max_datagram_size;
    if (packets <= TCB_SHARING_STATEFUL_TCP_INIT_CWND)
        return TCB_SHARING_STATEFUL_TCP_TCB_IGNORED; /* [tcb-sharing.startup.small] */
    s->in_use = 1;
    s->used_flag = 0;
    s->bdp = packets * s->max_datagram_size; /* at most cached->window */
    s->start_ns = now;
    s->cached_window = cached->window;
    s->min_rtt = cached->min_rtt;
    *cwnd = s->bdp; /* [tcb-sharing.startup.begin] */
    return TCB_SHARING_STATEFUL_TCP_TCB_SHARED;
}

/* Count the bytes of the window sent. */
static inline void tcb_sharing_stateful_tcp_on_sent(struct tcb_sharing_stateful_tcp *s, uint64_t size) {
    s->in_use = 1; /* [tcb-sharing.initialisation] */
    if (!s->used_flag)
        s->sent = size < s->bdp - s->sent ? s->sent + size : s->bdp;
}

/* bictcp_acked, called before the ACK grows the window: end the startup; return whether this ACK ended it. rtt: NONE
 * without a sample. */
static inline int tcb_sharing_stateful_tcp_on_ack(struct tcb_sharing_stateful_tcp *s, uint64_t rtt, uint64_t bytes_in_flight,
                                                  uint64_t *cwnd) {
    uint64_t initial = (uint64_t)TCB_SHARING_STATEFUL_TCP_INIT_CWND * s->max_datagram_size;
    if (s->used_flag || rtt == TCB_SHARING_STATEFUL_TCP_NONE)
        return 0; /* [tcb-sharing.startup.sample] */
    if (s->count > TCB_SHARING_STATEFUL_TCP_LAST_COUNT) {
        *cwnd = initial; /* [tcb-sharing.startup.given-up] */
    } else if (bytes_in_flight > (uint64_t)TCB_SHARING_STATEFUL_TCP_MIN_INFLIGHT_TO_EXIT_STARTUP_PHASE * s->max_datagram_size) {
        *cwnd = bytes_in_flight < TCB_SHARING_STATEFUL_TCP_WINDOW_MAX ? bytes_in_flight : TCB_SHARING_STATEFUL_TCP_WINDOW_MAX;
        if (*cwnd < initial)
            *cwnd = initial; /* [tcb-sharing.startup.end] */
    } else {
        s->count++; /* [tcb-sharing.startup.few] */
        return 0;
    }
    s->used_flag = 1;
    return 1;
}

/* End the startup: the controller has reduced the window. */
static inline void tcb_sharing_stateful_tcp_on_congestion(struct tcb_sharing_stateful_tcp *s) {
    s->used_flag = 1; /* [tcb-sharing.startup.congestion] */
}

#endif
