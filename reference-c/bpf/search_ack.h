/*
 * Common part of the variants of SEARCH, for state of the type SEARCH. Most ACKs end no bin. They use only a small part
 * of the state, which is in the private area if that is large enough, and read no storage.
 */
#ifndef FIRSTFLIGHT_BPF_SEARCH_ACK_H
#define FIRSTFLIGHT_BPF_SEARCH_ACK_H

#include "base.h"

/* bin_end_ns: of the header. open_bytes: for the open bin, not yet in the storage. rtt_us: latest sample, 0 before the
 * first. */
struct at_each_ack {
    uint64_t bin_end_ns, open_bytes;
    uint32_t rtt_us, snd_una;
};

struct connection {
    struct tcp tcp;
    struct at_each_ack state;
    SEARCH search;
};
CONNECTIONS

static inline struct at_each_ack *at_each_ack(struct sock *sk, struct connection *c) {
    struct at_each_ack *state = own_area(sk, sizeof *state);
    return state ? state : &c->state;
}

/* Return the state without the storage if it is in the private area; `*c` is then 0. */
static inline struct at_each_ack *state_of(struct sock *sk, struct connection **c) {
    struct at_each_ack *state = own_area(sk, sizeof *state);
    *c = state ? 0 : of(sk);
    return state ? state : *c ? &(*c)->state : 0;
}

static inline void begin(struct at_each_ack *state, const struct tcp *c) {
    state->bin_end_ns = state->open_bytes = 0;
    state->rtt_us = 0;
    state->snd_una = c->snd_una;
}

/* Return the bytes that were acknowledged since the last call, and note the RTT. */
static inline uint32_t note_ack(struct at_each_ack *state, const struct tcp_sock *tp) {
    uint32_t una = tp->snd_una, bytes = una - state->snd_una, rtt_us = tp->rack.rtt_us;
    state->snd_una = una;
    if (rtt_us)
        state->rtt_us = rtt_us;
    return bytes;
}

/* Whether an ACK ends no bin. A traced object needs the storage for its record. */
static inline int in_same_bin(const struct at_each_ack *state, const struct tcp_sock *tp) {
    return !TRACED && now_ns(tp) <= state->bin_end_ns;
}

#endif
