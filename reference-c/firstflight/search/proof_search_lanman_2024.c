#include "search_lanman_2024.h"
#include "search_lanman_2024_invariant.h"
#include "proof.h"

static struct search_lanman_2024 any_state(uint64_t then) {
    struct search_lanman_2024 s;
    ASSUME(then < TIME_END && search_lanman_2024_clock_invariant(&s, then) && search_lanman_2024_ring_invariant(&s));
    return s;
}

static void prove_invariant(const struct search_lanman_2024 *s, uint64_t now_ns) {
    PROVE(search_lanman_2024_clock_invariant(s, now_ns));
    PROVE(search_lanman_2024_ring_invariant(s));
}

void prove_begin(void) {
    struct search_lanman_2024 s;
    search_lanman_2024_begin(&s);
    prove_invariant(&s, 0);
}

void prove_rtt(uint64_t then, uint64_t rtt_ns) {
    struct search_lanman_2024 s = any_state(then);
    ASSUME(rtt_ns < TIME_END);
    search_lanman_2024_rtt(&s, rtt_ns);
    prove_invariant(&s, then);
}

void prove_restart(uint64_t then) {
    struct search_lanman_2024 s = any_state(then);
    search_lanman_2024_restart(&s);
    prove_invariant(&s, then);
}

void prove_end_bins(uint64_t then, uint64_t now_ns) {
    struct search_lanman_2024 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && s.bin_duration > 0 && now_ns > s.bin_end_ns);
    search_lanman_2024_end_bins(&s, 20 * now_ns);
    prove_invariant(&s, now_ns);
}

/* What prove_end_bins shows. */
void any_end_bins(struct search_lanman_2024 *s, uint64_t now) {
    struct search_lanman_2024 after = any_state(now / 20);
    PROVE(s->bin_duration > 0 && now / 20 > s->bin_end_ns);
    ASSUME(after.bin_duration == s->bin_duration && after.rtt_ns == s->rtt_ns);
    *s = after;
}

void prove_delivered(uint64_t then, uint64_t first, uint64_t end) {
    struct search_lanman_2024 s = any_state(then);
    ASSUME(s.bin_duration > 0 && first <= end && end - first <= 10 && end <= s.curr && s.curr - first <= 25);
    PROVE(search_lanman_2024_delivered(&s, first, end) <= 10 * SEARCH_LANMAN_2024_BIN_LIMIT);
}

/* What prove_delivered shows. */
uint64_t any_delivered(const struct search_lanman_2024 *s, uint64_t first, uint64_t end) {
    uint64_t sum;
    PROVE(s->bin_duration > 0 && first <= end && end - first <= 10 && end <= s->curr && s->curr - first <= 25);
    ASSUME(sum <= 10 * SEARCH_LANMAN_2024_BIN_LIMIT);
    return sum;
}

void prove_on_ack(uint64_t then, uint64_t now_ns, uint64_t bytes, uint64_t cwnd, uint64_t minimum_window) {
    struct search_lanman_2024 s = any_state(then);
    uint64_t held = now_ns <= s.bin_end_ns ? s.open_bytes : 0;
    ASSUME(now_ns < TIME_END && now_ns >= then && now_ns > 0 && cwnd < WINDOW_END && minimum_window < WINDOW_END);
    ASSUME(bytes < SEARCH_LANMAN_2024_BIN_LIMIT - held);
    search_lanman_2024_on_ack(&s, now_ns, bytes, &cwnd, minimum_window);
    prove_invariant(&s, now_ns);
    PROVE(cwnd < WINDOW_END);
}
