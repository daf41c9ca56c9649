#include "suss_linux_6_8.h"
#include "suss_linux_6_8_invariant.h"
#include "proof.h"

#define US_END (TIME_END / 1000 + 1) /* times and RTTs are below it, in us */

/* Times that the state holds are not after now, and RTTs those of the domain. */
static int is_of_the_past(const struct suss_linux_6_8 *s, uint64_t now) {
    int times = s->round_start <= now / 1000 && s->last_ack <= now / 1000 && s->round_start_us <= now / 1000;
    return times && (s->curr_rtt < US_END || s->curr_rtt == SUSS_LINUX_6_8_NONE);
}

void prove_begin(uint32_t max_datagram_size) {
    struct suss_linux_6_8 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    suss_linux_6_8_begin(&s, max_datagram_size);
    PROVE(suss_linux_6_8_invariant(&s));
}

void prove_acked(uint64_t now, uint64_t rtt, uint64_t seq, uint64_t snd_nxt) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    ASSUME(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now) && now < TIME_END && rtt < TIME_END);
    ASSUME(window.cwnd < WINDOW_END && s.in_flight < WINDOW_END && seq < WINDOW_END && snd_nxt <= WINDOW_END);
    suss_linux_6_8_acked(&s, now, rtt, seq, snd_nxt, &window);
    PROVE(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now));
}

void prove_on_ack(uint64_t now, uint64_t seq, uint64_t snd_nxt, uint32_t packets, uint64_t acked_bytes) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    ASSUME(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now) && now < TIME_END && acked_bytes < ACK_END);
    ASSUME(window.cwnd < WINDOW_END && seq < WINDOW_END && snd_nxt <= WINDOW_END);
    /* What the code sees to, and the invariant does not say: a minimum RTT where a round has one, and jumps only up to round 4. */
    ASSUME((s.delay_min > 0 || s.curr_rtt == SUSS_LINUX_6_8_NONE) && (s.num_of_jump < 3 || s.round_no >= 4));
    ASSUME(s.tail_seq >= s.head_seq || s.round_no == 1);
    uint64_t before = window.cwnd;
    suss_linux_6_8_measurements(&s, now, seq, snd_nxt, packets, acked_bytes, &window);
    suss_linux_6_8_keep_minimum(&s, &window);
    PROVE(s.rate < UINT64_C(1) << 39 && s.prev_delta_t_bat < UINT64_C(1) << 39 && s.round_no <= SUSS_LINUX_6_8_ROUND_MAX);
    PROVE(window.cwnd <= before || window.cwnd == 2 * s.max_datagram_size);
}

void prove_on_sent(uint64_t now, uint64_t last, uint64_t sent_bytes, uint64_t in_flight) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    ASSUME(suss_linux_6_8_invariant(&s) && window.cwnd < WINDOW_END && now < TIME_END && last < WINDOW_END);
    ASSUME(s.wstamp_ns < TIME_END || s.wstamp_ns == SUSS_LINUX_6_8_NONE);
    uint64_t before = window.cwnd;
    suss_linux_6_8_on_sent(&s, now, last, sent_bytes, in_flight, &window);
    PROVE(suss_linux_6_8_invariant(&s) && window.cwnd >= before && window.cwnd < WINDOW_END);
}

void prove_init_cwnd_reduction(void) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    ASSUME(suss_linux_6_8_invariant(&s));
    suss_linux_6_8_init_cwnd_reduction(&s, &window);
    PROVE(suss_linux_6_8_invariant(&s) && !suss_linux_6_8_is_active(&s));
}

void prove_enter_loss(uint64_t now, uint64_t cwnd) {
    struct suss_linux_6_8 s;
    ASSUME(suss_linux_6_8_invariant(&s) && now < TIME_END);
    suss_linux_6_8_enter_loss(&s, now, cwnd);
    PROVE(suss_linux_6_8_invariant(&s));
}
