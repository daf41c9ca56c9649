#include "limited_slow_start_rfc_3742.h"
#include "limited_slow_start_rfc_3742_invariant.h"
#include "proof.h"

void prove_begin(uint32_t max_datagram_size) {
    struct limited_slow_start_rfc_3742 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    limited_slow_start_rfc_3742_begin(&s, max_datagram_size);
    PROVE(limited_slow_start_rfc_3742_invariant(&s));
}

void prove_on_ack(int app_limited, uint64_t cwnd) {
    struct limited_slow_start_rfc_3742 s;
    uint64_t before = cwnd;
    ASSUME(limited_slow_start_rfc_3742_invariant(&s));
    ASSUME(cwnd >= 1 && cwnd < WINDOW_END);
    int outcome = (int)limited_slow_start_rfc_3742_on_ack(&s, app_limited, &cwnd);
    PROVE(cwnd >= before && cwnd - before <= s.max_datagram_size);
    PROVE(outcome != LIMITED_SLOW_START_RFC_3742_LIMITED_GROWN || cwnd - before <= s.max_datagram_size / 2);
}
