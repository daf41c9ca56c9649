#include "rapid_start_draft_02.h"
#include "rapid_start_draft_02_invariant.h"
#include "proof.h"

static struct rapid_start_draft_02 any_state(void) {
    struct rapid_start_draft_02 s;
    ASSUME(rapid_start_draft_02_invariant(&s));
    return s;
}

void prove_begin(uint32_t max_datagram_size) {
    struct rapid_start_draft_02 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    rapid_start_draft_02_begin(&s, max_datagram_size);
    PROVE(rapid_start_draft_02_invariant(&s));
}

void prove_on_ack(uint64_t cwnd) {
    struct rapid_start_draft_02 s = any_state();
    struct rapid_start_draft_02_ack ack;
    uint64_t before = cwnd;
    ASSUME(cwnd < WINDOW_END && ack.bytes < ACK_END && ack.largest_packet < WINDOW_END && ack.snd_nxt <= WINDOW_END);
    ASSUME(ack.rtt_ns < TIME_END || ack.rtt_ns == RAPID_START_DRAFT_02_NO_SAMPLE);
    ASSUME(ack.min_rtt_ns < TIME_END || ack.min_rtt_ns == RAPID_START_DRAFT_02_NO_SAMPLE);
    (void)rapid_start_draft_02_on_ack(&s, &ack, &cwnd);
    PROVE(rapid_start_draft_02_invariant(&s));
    PROVE(cwnd >= before && cwnd - before <= 2 * ack.bytes);
}

void prove_enter_recovery(uint64_t cwnd) {
    struct rapid_start_draft_02 s = any_state();
    uint64_t before = cwnd;
    ASSUME(cwnd >= 1 && cwnd < WINDOW_END);
    (void)rapid_start_draft_02_enter_recovery(&s, &cwnd);
    PROVE(rapid_start_draft_02_invariant(&s));
    PROVE(cwnd >= s.minimum_window && (cwnd <= before || cwnd == s.minimum_window));
}

/* In recovery the window is not below its bound. */
void prove_on_recovery(uint64_t cwnd, uint64_t bytes, int lost) {
    struct rapid_start_draft_02 s = any_state();
    uint64_t before = cwnd, bound = rapid_start_draft_02_lower_bound(&s);
    ASSUME(cwnd >= bound && cwnd < WINDOW_END && bytes < ACK_END);
    (void)(lost ? rapid_start_draft_02_on_recovery_lost(&s, bytes, &cwnd) : rapid_start_draft_02_on_recovery_ack(&s, bytes, &cwnd));
    PROVE(cwnd >= bound && cwnd <= before);
}
