#include "careful_resume_rfc_9959.h"
#include "careful_resume_rfc_9959_invariant.h"
#include "proof.h"

enum { RUNS = 3 }; /* of an ACK at most */

static struct careful_resume_rfc_9959_window window;

static struct careful_resume_rfc_9959 any_state(uint64_t then) {
    struct careful_resume_rfc_9959 s;
    struct careful_resume_rfc_9959_window any;
    ASSUME(any.cwnd < WINDOW_END && (any.ssthresh < WINDOW_END || any.ssthresh == CAREFUL_RESUME_RFC_9959_NONE));
    ASSUME(then < TIME_END && careful_resume_rfc_9959_invariant(&s, then));
    window = any;
    return s;
}

static void prove_invariant(const struct careful_resume_rfc_9959 *s, uint64_t now) {
    PROVE(careful_resume_rfc_9959_invariant(s, now));
    PROVE(window.cwnd < WINDOW_END && (window.ssthresh < WINDOW_END || window.ssthresh == CAREFUL_RESUME_RFC_9959_NONE));
}

static int follows(uint64_t then, uint64_t now) { return now > 0 && then <= now && now < TIME_END; }

void prove_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    struct careful_resume_rfc_9959 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && initial_window < WINDOW_END);
    careful_resume_rfc_9959_begin(&s, max_datagram_size, initial_window);
    prove_invariant(&s, 0);
}

void prove_on_event(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_event(&s, now);
    prove_invariant(&s, now);
}

void prove_on_saved_path(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_saved saved;
    ASSUME(follows(then, now) && careful_resume_rfc_9959_saved_invariant(&saved));
    careful_resume_rfc_9959_on_saved_path(&s, &saved, now);
    prove_invariant(&s, now);
}

void prove_on_backlog(uint64_t then, uint64_t now, uint64_t queued_bytes, uint64_t receive_window_bytes) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_backlog(&s, now, queued_bytes, receive_window_bytes, &window);
    prove_invariant(&s, now);
}

void prove_transmission_time(uint64_t then, uint64_t size) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(s.jump_cwnd > 0 && size < WINDOW_END);
    PROVE(careful_resume_rfc_9959_transmission_time(&s, size) <= CAREFUL_RESUME_RFC_9959_TIME_MAX);
}

/* What prove_transmission_time shows. */
uint64_t any_transmission_time(const struct careful_resume_rfc_9959 *s, uint64_t size) {
    uint64_t time;
    PROVE(s->jump_cwnd > 0 && size < WINDOW_END);
    ASSUME(time <= CAREFUL_RESUME_RFC_9959_TIME_MAX);
    return time;
}

void prove_next_release_ns(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    uint64_t release = careful_resume_rfc_9959_next_release_ns(&s);
    PROVE(release <= CAREFUL_RESUME_RFC_9959_TIME_MAX || release == CAREFUL_RESUME_RFC_9959_NONE);
}

/* Data sent before its first ACK is less than the largest window. */
void prove_on_sent(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_sent sent;
    ASSUME(follows(then, sent.now) && sent.first <= sent.last && sent.last < WINDOW_END && sent.bytes < ACK_END);
    ASSUME(sent.bytes < WINDOW_END - s.initial_data);
    careful_resume_rfc_9959_on_sent(&s, &sent, &window);
    prove_invariant(&s, sent.now);
}

static struct careful_resume_rfc_9959_run runs[RUNS];

static struct careful_resume_rfc_9959_ack any_ack(uint64_t then) {
    struct careful_resume_rfc_9959_ack ack;
    ASSUME(follows(then, ack.now) && ack.bytes < ACK_END && ack.run_count >= 1 && ack.run_count <= RUNS);
    ASSUME(ack.rtt < TIME_END || ack.rtt == CAREFUL_RESUME_RFC_9959_NONE);
    for (int i = 0; i < RUNS; i++) {
        struct careful_resume_rfc_9959_run run;
        ASSUME(run.first <= run.last && run.last < WINDOW_END && run.last - run.first < SIZE_END - 1);
        ASSUME(run.size_bytes >= 1 && run.size_bytes < SIZE_END);
        runs[i] = run;
    }
    ack.runs = runs;
    return ack;
}

void prove_on_ack_in_reconnaissance(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_ack ack = any_ack(then);
    careful_resume_rfc_9959_on_ack_in_reconnaissance(&s, &ack, &window);
    prove_invariant(&s, ack.now);
}

/* What prove_on_ack_in_reconnaissance shows. */
enum careful_resume_rfc_9959_outcome any_on_ack_in_reconnaissance(struct careful_resume_rfc_9959 *s,
                                                                 const struct careful_resume_rfc_9959_ack *ack,
                                                                 struct careful_resume_rfc_9959_window *changed) {
    enum careful_resume_rfc_9959_outcome outcome;
    (void)changed;
    prove_invariant(s, ack->now);
    *s = any_state(ack->now);
    return outcome;
}

void prove_on_ack(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_ack ack = any_ack(then);
    careful_resume_rfc_9959_on_ack(&s, &ack, &window);
    prove_invariant(&s, ack.now);
}

void prove_leave_safe_retreat(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    careful_resume_rfc_9959_leave_safe_retreat(&s, &window);
    prove_invariant(&s, then);
}

/* What prove_leave_safe_retreat shows. */
void any_leave_safe_retreat(const struct careful_resume_rfc_9959 *s, struct careful_resume_rfc_9959_window *left) {
    uint64_t ssthresh;
    PROVE(s->saved.beta_denominator > 0);
    ASSUME(ssthresh < WINDOW_END || ssthresh == left->ssthresh);
    left->ssthresh = ssthresh;
}

void prove_on_ack_in_normal_cc(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    uint64_t threshold;
    careful_resume_rfc_9959_on_ack_in_normal_cc(&s, &window, &threshold);
    prove_invariant(&s, then);
}

void prove_on_detected_congestion(uint64_t then, uint64_t now, uint64_t bytes_in_flight, uint32_t trigger) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_detected_congestion(&s, trigger, now, bytes_in_flight, &window);
    prove_invariant(&s, now);
}

void prove_on_path_change(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_path_change(&s, now, &window);
    prove_invariant(&s, now);
}

void prove_on_persistent_congestion(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    careful_resume_rfc_9959_on_persistent_congestion(&s, &window);
    prove_invariant(&s, then);
}

void prove_leave_unvalidated_if(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_leave_unvalidated_if(&s, now, CAREFUL_RESUME_RFC_9959_NORMAL, 0, &window);
    prove_invariant(&s, now);
}
