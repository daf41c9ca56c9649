#include "quick_start_rfc_4782.h"
#include "quick_start_rfc_4782_invariant.h"
#include "proof.h"

void prove_begin(uint32_t max_datagram_size) {
    struct quick_start_rfc_4782 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    quick_start_rfc_4782_begin(&s, max_datagram_size);
    PROVE(quick_start_rfc_4782_invariant(&s));
}

void prove_on_response(uint64_t now, uint64_t rtt_ns) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && now < TIME_END);
    ASSUME(rtt_ns < TIME_END || rtt_ns == QUICK_START_RFC_4782_NONE);
    uint64_t before = window.cwnd;
    quick_start_rfc_4782_on_response(&s, now, rtt_ns, &window);
    PROVE(quick_start_rfc_4782_invariant(&s) && window.cwnd >= before);
}

void prove_next_release_ns(void) {
    struct quick_start_rfc_4782 s;
    ASSUME(quick_start_rfc_4782_invariant(&s) && s.start_ns < TIME_END);
    uint64_t at_ns = quick_start_rfc_4782_next_release_ns(&s);
    PROVE(at_ns == QUICK_START_RFC_4782_NONE || at_ns >= s.start_ns);
}

void prove_revert(uint64_t now) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && s.next_packet <= WINDOW_END && now < TIME_END);
    quick_start_rfc_4782_revert(&s, now, &window);
    quick_start_rfc_4782_lower_threshold(&s, &window);
    PROVE(quick_start_rfc_4782_invariant(&s) && window.cwnd >= 2 * s.max_datagram_size);
}
