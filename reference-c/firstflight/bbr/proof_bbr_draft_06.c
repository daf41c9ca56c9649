#include "bbr_draft_06.h"
#include "bbr_draft_06_invariant.h"
#include "proof.h"


static struct bbr_draft_06 any_state(void) {
    struct bbr_draft_06 s;
    ASSUME(bbr_draft_06_invariant(&s));
    return s;
}

static int is_rtt(uint64_t ns) { return ns < TIME_END || ns == BBR_DRAFT_06_NONE; }

void prove_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    struct bbr_draft_06 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && initial_window < WINDOW_END);
    bbr_draft_06_begin(&s, max_datagram_size, initial_window);
    PROVE(bbr_draft_06_invariant(&s));
}

void prove_product(uint64_t a, uint64_t b) {
    struct bbr_draft_06_u128 product = bbr_draft_06_product(a, b);
    PROVE((product.low & 1) == (a & b & 1));
}

void prove_quotient(struct bbr_draft_06_u128 a, uint64_t divisor) {
    ASSUME(divisor >= 1 && divisor <= UINT64_C(1) << 63);
    PROVE(bbr_draft_06_quotient(a, divisor) <= BBR_DRAFT_06_MOST);
}

/* Contract proved by prove_quotient. */
uint64_t any_quotient(struct bbr_draft_06_u128 a, uint64_t divisor) {
    uint64_t quotient;
    (void)a;
    PROVE(divisor >= 1 && divisor <= UINT64_C(1) << 63);
    ASSUME(quotient <= BBR_DRAFT_06_MOST);
    return quotient;
}

void prove_on_transmit(uint64_t now_ns, uint64_t bytes, uint64_t bytes_in_flight, int nothing_left_to_send) {
    struct bbr_draft_06 s = any_state();
    ASSUME(now_ns < TIME_END && bytes >= 1 && bytes < ACK_END);
    bbr_draft_06_on_transmit(&s, now_ns, bytes, bytes_in_flight, nothing_left_to_send);
    PROVE(bbr_draft_06_invariant(&s) && s.next_release_ns <= BBR_DRAFT_06_LAST_NS);
}

/* For ACKs of the domain: the delivered bytes are below 2^63 - 2^48, and time never decreases. */
void prove_on_ack(void) {
    struct bbr_draft_06 s = any_state();
    struct bbr_draft_06_ack ack;
    ASSUME(ack.now_ns < TIME_END && ack.now_ns >= s.extra_acked_interval_start && ack.bytes < ACK_END);
    ASSUME(is_rtt(ack.rtt_ns) && is_rtt(ack.min_rtt_ns) && is_rtt(ack.smoothed_rtt_ns) && ack.newest_sent_ns <= ack.now_ns);
    ASSUME(ack.delivered < ACK_END && ack.interval_ns < TIME_END && ack.tx_in_flight < ACK_END && ack.lost < ACK_END);
    ASSUME(ack.prior_delivered < WINDOW_END || ack.prior_delivered == BBR_DRAFT_06_NONE);
    ASSUME(s.delivered < UINT64_MAX / 2 - ACK_END && s.extra_acked_delivered < UINT64_MAX / 2 && s.round_count < UINT64_MAX / 2);
    bbr_draft_06_on_ack(&s, &ack);
    PROVE(bbr_draft_06_invariant(&s));
}

void prove_on_lost(uint64_t now_ns, uint64_t bytes_in_flight, uint64_t newest_sent_ns, uint64_t first, uint64_t last) {
    struct bbr_draft_06 s = any_state();
    ASSUME(now_ns < TIME_END && newest_sent_ns <= now_ns && first <= last && last < WINDOW_END);
    ASSUME(s.lost_ranges < UINT64_MAX);
    bbr_draft_06_on_lost(&s, now_ns, bytes_in_flight, newest_sent_ns);
    bbr_draft_06_on_lost_range(&s, first, last);
    PROVE(bbr_draft_06_invariant(&s));
}

void prove_on_enter_rto(uint64_t now_ns) {
    struct bbr_draft_06 s = any_state();
    ASSUME(now_ns < TIME_END);
    bbr_draft_06_on_enter_rto(&s, now_ns);
    PROVE(bbr_draft_06_invariant(&s));
}

void prove_handle_spurious_loss_detection(void) {
    struct bbr_draft_06 s = any_state();
    bbr_draft_06_handle_spurious_loss_detection(&s);
    PROVE(bbr_draft_06_invariant(&s));
}

void prove_on_datagram_size(uint32_t max_datagram_size, int handshake) {
    struct bbr_draft_06 s = any_state();
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    bbr_draft_06_on_datagram_size(&s, max_datagram_size, handshake);
    PROVE(bbr_draft_06_invariant(&s));
}
