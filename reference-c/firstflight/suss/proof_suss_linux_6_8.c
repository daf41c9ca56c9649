#include "suss_linux_6_8.h"
#include "suss_linux_6_8_invariant.h"
#include "proof.h"

#define US_END (TIME_END / 1000 + 1) /* times and RTTs are below it, in us */

/* Times of the state, in us, are not after now, and RTTs are in the domain. */
static int is_of_the_past(const struct suss_linux_6_8 *s, uint64_t now) {
    int times = s->round_start <= now && s->last_ack <= now && s->round_start_us <= now;
    return times && (s->curr_rtt < US_END || s->curr_rtt == SUSS_LINUX_6_8_NONE);
}

void prove_begin(uint32_t max_datagram_size) {
    struct suss_linux_6_8 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    suss_linux_6_8_begin(&s, max_datagram_size);
    PROVE(suss_linux_6_8_invariant(&s));
}

static int is_sample(uint64_t now, uint64_t delay, uint64_t seq, uint64_t snd_nxt) {
    return now < US_END && delay > 0 && delay < US_END && seq < WINDOW_END && snd_nxt <= WINDOW_END;
}

void prove_hystart_update(uint64_t now, uint64_t delay, uint64_t seq, uint64_t snd_nxt) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    ASSUME(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now) && s.delay_min > 0 && is_sample(now, delay, seq, snd_nxt));
    ASSUME(window.cwnd < WINDOW_END && s.in_flight < WINDOW_END);
    suss_linux_6_8_hystart_update(&s, now, delay, seq, snd_nxt, &window);
    PROVE(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now) && s.delay_min > 0 && window.cwnd < WINDOW_END);
}

/* Contract proved by prove_hystart_update. */
enum suss_linux_6_8_outcome any_hystart_update(struct suss_linux_6_8 *s, uint64_t now, uint64_t delay, uint64_t seq, uint64_t snd_nxt,
                                               struct suss_linux_6_8_window *window) {
    struct suss_linux_6_8 after;
    struct suss_linux_6_8_window left;
    enum suss_linux_6_8_outcome outcome;
    PROVE(suss_linux_6_8_invariant(s) && is_of_the_past(s, now) && s->delay_min > 0 && is_sample(now, delay, seq, snd_nxt));
    PROVE(window->cwnd < WINDOW_END && s->in_flight < WINDOW_END);
    ASSUME(suss_linux_6_8_invariant(&after) && is_of_the_past(&after, now) && after.delay_min > 0 && left.cwnd < WINDOW_END);
    *s = after;
    *window = left;
    return outcome;
}

void prove_acked(uint64_t now_ns, uint64_t rtt, uint64_t seq, uint64_t snd_nxt) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    uint64_t now = now_ns / 1000;
    ASSUME(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now) && now_ns < TIME_END && rtt < TIME_END);
    ASSUME(window.cwnd < WINDOW_END && s.in_flight < WINDOW_END && seq < WINDOW_END && snd_nxt <= WINDOW_END);
    suss_linux_6_8_acked(&s, now_ns, rtt, seq, snd_nxt, &window);
    PROVE(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now) && s.delay_min > 0 && window.cwnd < WINDOW_END);
}

/* At the tail the jump of the round has not happened yet. */
static int is_at_tail(const struct suss_linux_6_8 *s, uint64_t now) {
    return suss_linux_6_8_invariant(s) && is_of_the_past(s, now) && s->num_of_jump + 2 <= s->round_no;
}

/* Members that the tail does not change; it jumps at most once. */
static int follows_at_tail(const struct suss_linux_6_8 *s, const struct suss_linux_6_8 *after) {
    int rounds = after->round_no == s->round_no && after->r_minupdate == s->r_minupdate && after->max_datagram_size == s->max_datagram_size;
    int parts = after->head_seq == s->head_seq && after->tail_seq >= s->head_seq && after->blue_cnt == s->blue_cnt;
    int times = after->round_start == s->round_start && after->last_ack == s->last_ack && after->round_start_us == s->round_start_us;
    int rtts = after->delay_min == s->delay_min && after->curr_rtt == s->curr_rtt;
    return rounds && parts && times && rtts && (after->num_of_jump == s->num_of_jump || after->num_of_jump == s->num_of_jump + 1);
}

void prove_tail(uint64_t now_ns, uint64_t acked_bytes, uint64_t cwnd) {
    struct suss_linux_6_8 s;
    ASSUME(is_at_tail(&s, now_ns / 1000) && now_ns < TIME_END && acked_bytes < ACK_END && cwnd < WINDOW_END);
    struct suss_linux_6_8 before = s;
    suss_linux_6_8_tail(&s, now_ns, acked_bytes, cwnd);
    PROVE(s.prev_delta_t_bat < UINT64_C(1) << 39);
    PROVE(s.rate < UINT64_C(1) << 39);
    PROVE(s.num_of_jump <= SUSS_LINUX_6_8_SUSS_MAX);
    PROVE(follows_at_tail(&before, &s));
}

/* Contract proved by prove_tail. */
enum suss_linux_6_8_outcome any_tail(struct suss_linux_6_8 *s, uint64_t now_ns, uint64_t acked_bytes, uint64_t cwnd) {
    struct suss_linux_6_8 after;
    enum suss_linux_6_8_outcome outcome;
    PROVE(is_at_tail(s, now_ns / 1000) && now_ns < TIME_END && acked_bytes < ACK_END && cwnd < WINDOW_END);
    ASSUME(suss_linux_6_8_train_invariant(&after) && after.num_of_jump <= SUSS_LINUX_6_8_SUSS_MAX && follows_at_tail(s, &after));
    *s = after;
    return outcome;
}

void prove_on_ack(uint64_t now, uint64_t seq, uint64_t snd_nxt, uint32_t packets, uint64_t acked_bytes) {
    struct suss_linux_6_8 s;
    struct suss_linux_6_8_window window;
    ASSUME(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now / 1000) && now < TIME_END && acked_bytes < ACK_END);
    ASSUME(window.cwnd < WINDOW_END && seq < WINDOW_END && snd_nxt <= WINDOW_END);
    uint64_t before = window.cwnd;
    suss_linux_6_8_measurements(&s, now, seq, snd_nxt, packets, acked_bytes, &window);
    suss_linux_6_8_keep_minimum(&s, &window);
    PROVE(suss_linux_6_8_invariant(&s) && is_of_the_past(&s, now / 1000));
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
