#include "tcb_sharing_stateful_tcp.h"
#include "tcb_sharing_stateful_tcp_invariant.h"
#include "proof.h"

static struct tcb_sharing_stateful_tcp any_state(void) {
    struct tcb_sharing_stateful_tcp s;
    ASSUME(tcb_sharing_stateful_tcp_invariant(&s));
    return s;
}

void prove_begin(uint32_t max_datagram_size) {
    struct tcb_sharing_stateful_tcp s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    tcb_sharing_stateful_tcp_begin(&s, max_datagram_size);
    PROVE(tcb_sharing_stateful_tcp_invariant(&s));
}

void prove_next_release_ns(void) {
    struct tcb_sharing_stateful_tcp s = any_state();
    uint64_t release = tcb_sharing_stateful_tcp_next_release_ns(&s);
    PROVE(release == TCB_SHARING_STATEFUL_TCP_NONE || (s.start_ns <= release && release - s.start_ns <= s.min_rtt));
}

void prove_on_saved_path(uint64_t now, uint64_t cwnd) {
    struct tcb_sharing_stateful_tcp s = any_state();
    struct tcb_sharing_stateful_tcp_cached cached;
    ASSUME(cwnd < WINDOW_END && cached.window < WINDOW_END && cached.min_rtt < TIME_END && now < TIME_END);
    tcb_sharing_stateful_tcp_on_saved_path(&s, &cached, now, &cwnd);
    PROVE(tcb_sharing_stateful_tcp_invariant(&s));
    PROVE(cwnd < WINDOW_END);
}

void prove_on_sent(uint64_t size) {
    struct tcb_sharing_stateful_tcp s = any_state();
    ASSUME(size < WINDOW_END);
    tcb_sharing_stateful_tcp_on_sent(&s, size);
    PROVE(tcb_sharing_stateful_tcp_invariant(&s));
}

void prove_on_ack(uint64_t rtt, uint64_t bytes_in_flight, uint64_t cwnd) {
    struct tcb_sharing_stateful_tcp s = any_state();
    ASSUME(cwnd < WINDOW_END);
    tcb_sharing_stateful_tcp_on_ack(&s, rtt, bytes_in_flight, &cwnd);
    PROVE(tcb_sharing_stateful_tcp_invariant(&s));
    PROVE(cwnd < WINDOW_END);
}

void prove_on_congestion(void) {
    struct tcb_sharing_stateful_tcp s = any_state();
    tcb_sharing_stateful_tcp_on_congestion(&s);
    PROVE(tcb_sharing_stateful_tcp_invariant(&s));
}
