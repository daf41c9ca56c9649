#include "cubic_rfc_9438.h"
#include "cubic_rfc_9438_invariant.h"
#include "proof.h"

enum { RUNS = 3 }; /* maximum per ACK */

static struct cubic_rfc_9438 any_state(uint64_t acks, uint64_t then) {
    struct cubic_rfc_9438 s;
    ASSUME(then < TIME_END && cubic_rfc_9438_windows_invariant(&s, acks) && cubic_rfc_9438_clock_invariant(&s, then));
    return s;
}

static void prove_invariant(const struct cubic_rfc_9438 *s, uint64_t acks, uint64_t now) {
    PROVE(cubic_rfc_9438_windows_invariant(s, acks));
    PROVE(cubic_rfc_9438_clock_invariant(s, now));
}

static int follows(uint64_t then, uint64_t now) { return now > 0 && then <= now && now < TIME_END; }

static int is_run(struct cubic_rfc_9438_run run) {
    return run.count >= 1 && run.count < SIZE_END && run.size_bytes >= 1 && run.size_bytes < SIZE_END;
}

void prove_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    struct cubic_rfc_9438 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && initial_window >= 1 && initial_window < WINDOW_END);
    cubic_rfc_9438_begin(&s, max_datagram_size, initial_window);
    prove_invariant(&s, 0, 0);
}

void prove_on_sent(uint64_t acks, uint64_t then, uint64_t now) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    ASSUME(follows(then, now));
    cubic_rfc_9438_on_sent(&s, now);
    prove_invariant(&s, acks, now);
}

void prove_share(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t rest;
    ASSUME(c > 0 && b <= c && c < WINDOW_END && a < WINDOW_END);
    PROVE(cubic_rfc_9438_share(a, b, c, &rest) <= a && rest < c);
}

/* Contract proved by prove_share. */
uint64_t any_share(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest) {
    uint64_t share, remainder;
    PROVE(c > 0 && b <= c && c < WINDOW_END && a < WINDOW_END);
    ASSUME(share <= a && remainder < c);
    *rest = remainder;
    return share;
}

/* Uninterpreted function with only the contract proved by prove_rise. */
uint64_t __CPROVER_uninterpreted_rise(uint64_t mss, uint64_t time);

uint64_t any_rise(uint64_t mss, uint64_t time) {
    uint64_t rise = __CPROVER_uninterpreted_rise(mss, time);
    ASSUME(rise <= CUBIC_RFC_9438_WINDOW_MAX);
    return rise;
}

void prove_rise(uint64_t mss, uint64_t time) {
    ASSUME(mss >= 1 && mss < SIZE_END);
    PROVE(cubic_rfc_9438_rise(mss, time) <= CUBIC_RFC_9438_WINDOW_MAX);
}

static int is_on_curve(const struct cubic_rfc_9438 *s, uint64_t t) {
    return s->mss >= 1 && s->mss < SIZE_END && s->now.t_epoch != CUBIC_RFC_9438_NONE && s->now.k >> 52 == 0 && t < 2 * TIME_END &&
           cubic_rfc_9438_curve_invariant(&s->now, s->mss);
}

/* The longer the time, the higher the rise: argued in docs/proof.md. */
void prove_w_cubic(uint64_t t) {
    struct cubic_rfc_9438 s;
    ASSUME(is_on_curve(&s, t));
    ASSUME(t >= s.now.k || cubic_rfc_9438_rise(s.mss, s.now.k - t) <= cubic_rfc_9438_rise(s.mss, s.now.k));
    PROVE(cubic_rfc_9438_w_cubic(&s, t) <= CUBIC_RFC_9438_WINDOW_MAX);
}

/* Contract proved by prove_w_cubic. */
uint64_t any_w_cubic(const struct cubic_rfc_9438 *s, uint64_t t) {
    uint64_t window;
    PROVE(is_on_curve(s, t));
    ASSUME(window <= CUBIC_RFC_9438_WINDOW_MAX);
    return window;
}

static int begins(const struct cubic_rfc_9438 *s, uint64_t cwnd_epoch) {
    return s->mss >= 1 && s->mss < SIZE_END && cwnd_epoch <= CUBIC_RFC_9438_WINDOW_MAX && cubic_rfc_9438_is_window(s->now.w_max);
}

static int has_begun(const struct cubic_rfc_9438 *s, uint64_t cwnd_epoch) {
    return cwnd_epoch <= s->now.w_max && s->now.w_max <= CUBIC_RFC_9438_WINDOW_MAX && s->now.k >> 52 == 0 && s->now.w_est == cwnd_epoch;
}

void prove_begin_stage(uint64_t cwnd_epoch) {
    struct cubic_rfc_9438 s;
    ASSUME(begins(&s, cwnd_epoch));
    cubic_rfc_9438_begin_stage(&s, cwnd_epoch);
    PROVE(has_begun(&s, cwnd_epoch));
}

/* Contract proved by prove_begin_stage. K is at most the time of the curve from 0 to W_max: docs/proof.md. */
void any_begin_stage(struct cubic_rfc_9438 *s, uint64_t cwnd_epoch) {
    uint64_t w_max, k;
    PROVE(begins(s, cwnd_epoch));
    s->now.w_max = w_max;
    s->now.k = k;
    s->now.w_est = cwnd_epoch;
    s->now.w_est_fraction = s->now.cwnd_fraction;
    ASSUME(has_begun(s, cwnd_epoch) && cubic_rfc_9438_curve_invariant(&s->now, s->mss));
}

struct cubic_rfc_9438_natural any_times(struct cubic_rfc_9438_natural a, uint64_t factor) {
    struct cubic_rfc_9438_natural product;
    (void)a, (void)factor;
    return product;
}

struct cubic_rfc_9438_natural any_over(struct cubic_rfc_9438_natural a, uint32_t divisor) {
    struct cubic_rfc_9438_natural quotient;
    PROVE(divisor > 0);
    (void)a;
    return quotient;
}

struct cubic_rfc_9438_natural any_cube(uint64_t a) {
    struct cubic_rfc_9438_natural cube;
    PROVE(a >> 52 == 0);
    return cube;
}

uint64_t any_cube_root(const struct cubic_rfc_9438_natural *number) {
    uint64_t root;
    (void)number;
    ASSUME(root >> 52 == 0);
    return root;
}

void prove_times(uint64_t factor) {
    struct cubic_rfc_9438_natural a;
    cubic_rfc_9438_times(a, factor);
}

void prove_over(uint32_t divisor) {
    struct cubic_rfc_9438_natural a;
    ASSUME(divisor > 0);
    cubic_rfc_9438_over(a, divisor);
}

void prove_cube_root(void) {
    struct cubic_rfc_9438_natural number;
    PROVE(cubic_rfc_9438_cube_root(&number) >> 52 == 0);
}

static void avoidance(struct cubic_rfc_9438 *s, uint64_t acks, uint64_t then, uint64_t bytes_acked, const struct cubic_rfc_9438_ack *ack) {
    ASSUME(follows(then, ack->now) && ack->smoothed_rtt < TIME_END && bytes_acked < ACK_END && acks >> 39 == 0);
    cubic_rfc_9438_on_new_ack_in_congestion_avoidance(s, bytes_acked, ack);
}

void prove_on_new_ack_in_congestion_avoidance(uint64_t acks, uint64_t then, uint64_t bytes_acked) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    struct cubic_rfc_9438_ack ack;
    ASSUME(s.now.cwnd > 0 && s.idle_since == CUBIC_RFC_9438_NONE && bytes_acked > 0);
    avoidance(&s, acks, then, bytes_acked, &ack);
    prove_invariant(&s, acks + 1, ack.now);
    PROVE(s.limited_since == CUBIC_RFC_9438_NONE && s.idle_since == CUBIC_RFC_9438_NONE);
}

void prove_slow_start_packets(uint64_t acks, uint64_t then) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    struct cubic_rfc_9438_run run;
    ASSUME(is_run(run));
    uint64_t packets = cubic_rfc_9438_slow_start_packets(&s, run);
    PROVE(packets <= run.count && (s.now.ssthresh != CUBIC_RFC_9438_NONE || packets == run.count));
}

/* Contract proved by prove_slow_start_packets. */
uint64_t any_slow_start_packets(const struct cubic_rfc_9438 *s, struct cubic_rfc_9438_run run) {
    uint64_t packets;
    PROVE(is_run(run));
    ASSUME(packets <= run.count && (s->now.ssthresh != CUBIC_RFC_9438_NONE || packets == run.count));
    return packets;
}

static uint64_t acks_so_far;

/* Contract proved by prove_on_new_ack_in_congestion_avoidance. */
void any_on_new_ack_in_congestion_avoidance(struct cubic_rfc_9438 *s, uint64_t bytes_acked, const struct cubic_rfc_9438_ack *ack) {
    struct cubic_rfc_9438 after = any_state(acks_so_far + 1, ack->now);
    PROVE(s->now.cwnd > 0 && s->idle_since == CUBIC_RFC_9438_NONE && bytes_acked > 0 && bytes_acked < ACK_END);
    prove_invariant(s, acks_so_far, ack->now);
    ASSUME(after.limited_since == CUBIC_RFC_9438_NONE && after.idle_since == CUBIC_RFC_9438_NONE);
    *s = after;
}

static int are_on_curves(const struct cubic_rfc_9438 *s) {
    return cubic_rfc_9438_curve_invariant(&s->now, s->mss) && (!s->has_undo || cubic_rfc_9438_curve_invariant(&s->undo, s->mss));
}

void prove_on_ack(uint64_t then) {
    struct cubic_rfc_9438 s = any_state(acks_so_far, then);
    struct cubic_rfc_9438_ack ack;
    struct cubic_rfc_9438_run runs[RUNS];
    ASSUME(follows(then, ack.now) && ack.smoothed_rtt < TIME_END && acks_so_far >> 39 == 0);
    ASSUME(ack.run_count >= 1 && ack.run_count <= RUNS);
    for (int i = 0; i < RUNS; i++)
        ASSUME(is_run(runs[i]));
    ack.runs = runs;
    cubic_rfc_9438_on_ack(&s, &ack);
    PROVE(are_on_curves(&s));
    ASSUME(are_on_curves(&s)); /* just proved; the rest of the invariant does not need it */
    prove_invariant(&s, acks_so_far + 1, ack.now);
}

void prove_on_lost(uint64_t acks, uint64_t then, uint64_t now, uint64_t sent_time) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    ASSUME(follows(then, now));
    cubic_rfc_9438_on_lost(&s, sent_time, now);
    prove_invariant(&s, acks, now);
}

void prove_on_ce(uint64_t acks, uint64_t then, uint64_t now, uint64_t sent_time) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    ASSUME(follows(then, now));
    cubic_rfc_9438_on_ce(&s, sent_time, now);
    prove_invariant(&s, acks, now);
}

void prove_on_persistent_congestion(uint64_t acks, uint64_t then) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    cubic_rfc_9438_on_persistent_congestion(&s);
    prove_invariant(&s, acks, then);
}

void prove_on_datagram_size(uint64_t acks, uint64_t then, uint32_t max_datagram_size, int handshake, uint64_t initial_window) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && initial_window >= 1 && initial_window < WINDOW_END);
    cubic_rfc_9438_on_datagram_size(&s, max_datagram_size, handshake, initial_window);
    prove_invariant(&s, acks, then);
}

void prove_on_spurious_loss(uint64_t acks, uint64_t then) {
    struct cubic_rfc_9438 s = any_state(acks, then);
    cubic_rfc_9438_on_spurious_loss(&s);
    prove_invariant(&s, acks, then);
}
