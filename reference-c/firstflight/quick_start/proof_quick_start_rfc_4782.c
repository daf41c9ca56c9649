#include "quick_start_rfc_4782.h"
#include "quick_start_rfc_4782_invariant.h"
#include "proof.h"

enum { RUNS = 3 }; /* maximum per ACK and per loss */

static int is_run(struct quick_start_rfc_4782_run run) {
    return run.first <= run.last && run.last < WINDOW_END && run.last - run.first < SIZE_END - 1 && run.size_bytes < SIZE_END;
}

void prove_begin(uint32_t max_datagram_size) {
    struct quick_start_rfc_4782 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    quick_start_rfc_4782_begin(&s, max_datagram_size);
    PROVE(quick_start_rfc_4782_invariant(&s));
}

void prove_on_backlog(uint64_t now, uint64_t rtt_ns) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && now < TIME_END);
    ASSUME(rtt_ns < TIME_END || rtt_ns == QUICK_START_RFC_4782_NONE);
    quick_start_rfc_4782_on_backlog(&s, now, rtt_ns, &window);
    PROVE(quick_start_rfc_4782_invariant(&s) && !s.awaits_handshake);
}

void prove_on_idle_restart(void) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s));
    quick_start_rfc_4782_on_idle_restart(&s, &window);
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

void prove_on_sent(uint64_t first, uint64_t last, uint64_t packets, uint64_t bytes_in_flight) {
    struct quick_start_rfc_4782 s;
    ASSUME(quick_start_rfc_4782_invariant(&s) && s.next_packet <= first && first <= last && last < WINDOW_END);
    ASSUME(packets >= 1 && packets <= last - first + 1);
    quick_start_rfc_4782_on_sent(&s, first, last, packets, bytes_in_flight);
    PROVE(quick_start_rfc_4782_invariant(&s) && s.next_packet > last);
}

void prove_before_growth(uint64_t largest_packet, uint64_t bytes_in_flight) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && largest_packet < WINDOW_END);
    uint64_t before = window.cwnd;
    int ended = quick_start_rfc_4782_before_growth(&s, largest_packet, bytes_in_flight, &window);
    PROVE(quick_start_rfc_4782_invariant(&s) && window.cwnd <= before && (ended || window.cwnd == before));
}

void prove_after_growth(uint64_t now, uint64_t rtt_ns) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && now < TIME_END);
    ASSUME(rtt_ns < TIME_END || rtt_ns == QUICK_START_RFC_4782_NONE);
    quick_start_rfc_4782_after_growth(&s, now, rtt_ns, &window);
    PROVE(quick_start_rfc_4782_invariant(&s) && s.request == QUICK_START_RFC_4782_NONE);
}

void prove_limited_growth(uint64_t cwnd) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_run run;
    ASSUME(quick_start_rfc_4782_invariant(&s) && cwnd < WINDOW_END && is_run(run));
    quick_start_rfc_4782_limited_growth(&s, &run, &cwnd);
    PROVE(cwnd < WINDOW_END);
}

/* Contract proved by prove_limited_growth. */
enum quick_start_rfc_4782_outcome any_limited_growth(const struct quick_start_rfc_4782 *s, const struct quick_start_rfc_4782_run *run,
                                                     uint64_t *cwnd) {
    enum quick_start_rfc_4782_outcome outcome;
    uint64_t grown;
    PROVE(quick_start_rfc_4782_invariant(s) && *cwnd < WINDOW_END && is_run(*run));
    ASSUME(grown < WINDOW_END);
    *cwnd = grown;
    return outcome;
}

void prove_limited_slow_start(uint32_t run_count) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    struct quick_start_rfc_4782_run runs[RUNS];
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && run_count >= 1 && run_count <= RUNS);
    for (int i = 0; i < RUNS; i++)
        ASSUME(is_run(runs[i]));
    quick_start_rfc_4782_limited_slow_start(&s, runs, run_count, &window);
    PROVE(window.cwnd < WINDOW_END);
}

/* No packet is declared lost twice, so the number of lost packets is below the number of packet numbers. */
void prove_on_lost(uint32_t run_count, uint64_t sent_time, uint64_t now, uint64_t bytes_in_flight) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    struct quick_start_rfc_4782_run runs[RUNS];
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && s.next_packet <= WINDOW_END && s.lost < WINDOW_END);
    ASSUME(run_count >= 1 && run_count <= RUNS && sent_time > 0 && sent_time <= now && now < TIME_END);
    for (int i = 0; i < RUNS; i++)
        ASSUME(is_run(runs[i]));
    quick_start_rfc_4782_on_lost(&s, runs, run_count, sent_time, now, bytes_in_flight, &window);
    PROVE(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END);
}

void prove_on_ce(uint64_t packet, uint64_t sent_time, uint64_t now) {
    struct quick_start_rfc_4782 s;
    struct quick_start_rfc_4782_window window;
    ASSUME(quick_start_rfc_4782_invariant(&s) && window.cwnd < WINDOW_END && s.next_packet <= WINDOW_END);
    ASSUME(packet < WINDOW_END && sent_time > 0 && sent_time <= now && now < TIME_END);
    quick_start_rfc_4782_on_ce(&s, packet, sent_time, now, &window);
    PROVE(quick_start_rfc_4782_invariant(&s));
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
