/*
 * RFC 9040, section 6: temporal sharing of the TCP control block (TCB), in one header to be copied into a stack. C11 and C++17; no allocation,
 * no floating point, no global state.
 *
 * By Table 1 a new TCB begins with ssthresh and sendcwnd of the cached TCB. The rest of the table, RTT, MSS, PMTU and
 * options, does not concern the congestion controller. The text does not specify the function for the cache after a
 * close. "Open": the text leaves the choice to the implementer. The same functions in the same order are in
 * reference-py, tcb_sharing/plain_tcb_sharing_rfc_9040.py.
 *
 *     struct tcb_sharing_rfc_9040 tcb;
 *     tcb_sharing_rfc_9040_begin(&tcb, max_datagram_size);
 *     ... when connection setup is complete: tcb_sharing_rfc_9040_on_saved_path(&tcb, &cached, now, &cwnd, &ssthresh);
 *     ... for packets sent: tcb_sharing_rfc_9040_on_sent(&tcb).
 *
 * Domain: times in ns below 2^59 (18 years); windows below 2^62; a datagram of 1 to 2^16 - 1 bytes. Beta is a quotient
 * of two numbers from 1 to 2^16 - 1 and at most 1.
 *
 * Invariant: a datagram has 1 to 2^16 - 1 bytes.
 */
#ifndef TCB_SHARING_RFC_9040_H
#define TCB_SHARING_RFC_9040_H

#include <stdint.h>

enum tcb_sharing_rfc_9040_outcome {
    TCB_SHARING_RFC_9040_UNCHANGED,
    TCB_SHARING_RFC_9040_SAVED_SET_ABSENT,
    TCB_SHARING_RFC_9040_ENDPOINT_MISMATCH,
    TCB_SHARING_RFC_9040_SAVED_SET_IN_USE,
    TCB_SHARING_RFC_9040_LIFETIME_EXCEEDED,
    TCB_SHARING_RFC_9040_TCB_SHARED
};

/* The cached TCB; sendcwnd 0 without one. It is not used after `expires`; UINT64_MAX: it does not expire. Member
 * max_window is the bound of the endpoint, UINT64_MAX for none. Beta times sendcwnd is ssthresh. */
struct tcb_sharing_rfc_9040_cached {
    uint64_t sendcwnd;
    uint64_t rtt;
    uint64_t expires;
    uint64_t max_window;
    uint32_t beta_numerator;
    uint32_t beta_denominator;
    uint8_t endpoint_matches;
    uint8_t in_use;
};

/* initialized: the TCB was initialised from the cache, or is in use without it. */
struct tcb_sharing_rfc_9040 {
    uint32_t max_datagram_size;
    uint8_t initialized;
};

static inline uint64_t tcb_sharing_rfc_9040_old_ssthresh(const struct tcb_sharing_rfc_9040_cached *cached);
static inline uint64_t tcb_sharing_rfc_9040_old_sendcwnd(const struct tcb_sharing_rfc_9040_cached *cached);

/* Begin; without a cache the connection is ordinary. */
static inline void tcb_sharing_rfc_9040_begin(struct tcb_sharing_rfc_9040 *s, uint32_t max_datagram_size) {
    s->max_datagram_size = max_datagram_size;
    s->initialized = 0; /* [tcb-sharing.begin] */
}

/* Open: with the first packet the TCB is in use. */
static inline void tcb_sharing_rfc_9040_on_sent(struct tcb_sharing_rfc_9040 *s) {
    s->initialized = 1; /* [tcb-sharing.initialisation] */
}

/* 6.1: initialise the TCB from the cache. Open: whether the cached TCB is too old (8.1) or its connection is not closed
 * (5). */
static inline enum tcb_sharing_rfc_9040_outcome tcb_sharing_rfc_9040_on_saved_path(struct tcb_sharing_rfc_9040 *s,
                                                                                   const struct tcb_sharing_rfc_9040_cached *cached,
                                                                                   uint64_t now, uint64_t *cwnd, uint64_t *ssthresh) {
    if (s->initialized)
        return TCB_SHARING_RFC_9040_UNCHANGED; /* [tcb-sharing.initialisation] */
    if (cached->sendcwnd == 0 || cached->rtt == 0)
        return TCB_SHARING_RFC_9040_SAVED_SET_ABSENT; /* [tcb-sharing.absent] */
    if (!cached->endpoint_matches)
        return TCB_SHARING_RFC_9040_ENDPOINT_MISMATCH; /* [tcb-sharing.host-pair] */
    if (cached->in_use)
        return TCB_SHARING_RFC_9040_SAVED_SET_IN_USE; /* [tcb-sharing.temporal] */
    if (now > cached->expires)
        return TCB_SHARING_RFC_9040_LIFETIME_EXCEEDED; /* [tcb-sharing.lifetime] */
    s->initialized = 1;
    *ssthresh = tcb_sharing_rfc_9040_old_ssthresh(cached); /* [tcb-sharing.threshold] */
    *cwnd = tcb_sharing_rfc_9040_old_sendcwnd(cached);
    if (*cwnd < s->max_datagram_size)
        *cwnd = s->max_datagram_size; /* [tcb-sharing.window.least] */
    return TCB_SHARING_RFC_9040_TCB_SHARED;
}

/* Return the cached ssthresh. sendcwnd is split by the denominator: the first product is at most sendcwnd, the second
 * below 2^32. */
static inline uint64_t tcb_sharing_rfc_9040_old_ssthresh(const struct tcb_sharing_rfc_9040_cached *cached) {
    uint64_t whole = cached->sendcwnd / cached->beta_denominator, rest = cached->sendcwnd % cached->beta_denominator;
    return whole * cached->beta_numerator + rest * cached->beta_numerator / cached->beta_denominator; /* [tcb-sharing.cached-threshold] */
}

/* Return the cached sendcwnd. Open: at most the bound of the endpoint. */
static inline uint64_t tcb_sharing_rfc_9040_old_sendcwnd(const struct tcb_sharing_rfc_9040_cached *cached) {
    if (cached->max_window < cached->sendcwnd)
        return cached->max_window; /* [tcb-sharing.window.allowed] */
    return cached->sendcwnd;       /* [tcb-sharing.window.saved] */
}

#endif
