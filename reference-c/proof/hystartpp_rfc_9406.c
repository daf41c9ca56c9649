#include "hystartpp_rfc_9406.h"
#include "hystartpp_rfc_9406_invariant.h"
#include "proof.h"

static struct hystartpp_rfc_9406 any_state(uint64_t acks) {
    struct hystartpp_rfc_9406 s;
    ASSUME(hystartpp_rfc_9406_invariant(&s, acks));
    return s;
}

void prove_begin(void) {
    struct hystartpp_rfc_9406 s;
    hystartpp_rfc_9406_begin(&s);
    PROVE(hystartpp_rfc_9406_invariant(&s, 0));
}

void prove_on_congestion(uint64_t acks) {
    struct hystartpp_rfc_9406 s = any_state(acks);
    hystartpp_rfc_9406_on_congestion(&s);
    PROVE(hystartpp_rfc_9406_invariant(&s, acks));
}

/* ssthresh is infinite; the caller takes no more than 2^64 - 1 ACKs. */
void prove_on_ack(uint64_t acks, uint64_t cwnd) {
    struct hystartpp_rfc_9406 s = any_state(acks);
    struct hystartpp_rfc_9406_ack ack;
    uint64_t ssthresh = UINT64_MAX, before = cwnd;
    ASSUME(acks < UINT64_MAX && cwnd < WINDOW_END && ack.bytes < ACK_END);
    ASSUME(ack.largest_packet < WINDOW_END && ack.snd_nxt <= WINDOW_END);
    ASSUME(ack.rtt_ns < TIME_END || ack.rtt_ns == HYSTARTPP_RFC_9406_NO_SAMPLE);
    ASSUME(s.in_css || s.css_rounds < HYSTARTPP_RFC_9406_CSS_ROUNDS);
    int outcome = (int)hystartpp_rfc_9406_on_ack(&s, &ack, &cwnd, &ssthresh);
    PROVE(hystartpp_rfc_9406_invariant(&s, acks + 1));
    PROVE(cwnd >= before && cwnd - before < ACK_END);
    PROVE(ssthresh == (outcome == HYSTARTPP_RFC_9406_EXITED ? cwnd : UINT64_MAX));
    PROVE(outcome == HYSTARTPP_RFC_9406_EXITED || s.in_css || s.css_rounds < HYSTARTPP_RFC_9406_CSS_ROUNDS);
}
