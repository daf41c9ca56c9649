#include "tcb_sharing_rfc_9040.h"
#include "tcb_sharing_rfc_9040_invariant.h"
#include "proof.h"

static struct tcb_sharing_rfc_9040 any_state(void) {
    struct tcb_sharing_rfc_9040 s;
    ASSUME(tcb_sharing_rfc_9040_invariant(&s));
    return s;
}

void prove_begin(uint32_t max_datagram_size) {
    struct tcb_sharing_rfc_9040 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    tcb_sharing_rfc_9040_begin(&s, max_datagram_size);
    PROVE(tcb_sharing_rfc_9040_invariant(&s));
}

void prove_on_sent(void) {
    struct tcb_sharing_rfc_9040 s = any_state();
    tcb_sharing_rfc_9040_on_sent(&s);
    PROVE(tcb_sharing_rfc_9040_invariant(&s));
}

void prove_on_saved_path(uint64_t now, uint64_t cwnd, uint64_t ssthresh) {
    struct tcb_sharing_rfc_9040 s = any_state();
    struct tcb_sharing_rfc_9040_cached cached;
    ASSUME(cwnd < WINDOW_END && cached.sendcwnd < WINDOW_END && now < TIME_END);
    ASSUME(cached.beta_numerator >= 1 && cached.beta_numerator <= cached.beta_denominator && cached.beta_denominator < SIZE_END);
    int outcome = (int)tcb_sharing_rfc_9040_on_saved_path(&s, &cached, now, &cwnd, &ssthresh);
    PROVE(tcb_sharing_rfc_9040_invariant(&s));
    PROVE(cwnd < WINDOW_END);
    PROVE(outcome != TCB_SHARING_RFC_9040_TCB_SHARED || ssthresh <= cached.sendcwnd);
}
