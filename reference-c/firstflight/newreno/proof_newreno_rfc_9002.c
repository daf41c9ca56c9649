#include "newreno_rfc_9002.h"
#include "newreno_rfc_9002_invariant.h"
#include "proof.h"

enum { RUNS = 3 }; /* maximum per event */

static struct newreno_rfc_9002 any_state(void) {
    struct newreno_rfc_9002 s;
    ASSUME(newreno_rfc_9002_invariant(&s));
    return s;
}

static int is_run(struct newreno_rfc_9002_run run) {
    return run.count >= 1 && run.count < SIZE_END && run.size_bytes >= 1 && run.size_bytes < SIZE_END;
}

void prove_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    struct newreno_rfc_9002 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && initial_window < WINDOW_END);
    newreno_rfc_9002_begin(&s, max_datagram_size, initial_window);
    PROVE(newreno_rfc_9002_invariant(&s));
}

/* A run of any length: the loop over its packets is proved by induction. */
void prove_on_packets_acked(void) {
    struct newreno_rfc_9002 s = any_state();
    struct newreno_rfc_9002_run run;
    ASSUME(is_run(run));
    newreno_rfc_9002_on_packets_acked(&s, run);
    PROVE(newreno_rfc_9002_invariant(&s));
}

/* Contract proved by prove_on_packets_acked. */
enum newreno_rfc_9002_outcome any_on_packets_acked(struct newreno_rfc_9002 *s, struct newreno_rfc_9002_run run) {
    enum newreno_rfc_9002_outcome outcome;
    PROVE(newreno_rfc_9002_invariant(s) && is_run(run));
    *s = any_state();
    ASSUME(outcome == NEWRENO_RFC_9002_GROWN || outcome == NEWRENO_RFC_9002_GROWN_AVOIDANCE || outcome == NEWRENO_RFC_9002_IN_RECOVERY);
    return outcome;
}

void prove_on_ack(uint32_t run_count, int app_limited) {
    struct newreno_rfc_9002 s = any_state();
    struct newreno_rfc_9002_run runs[RUNS];
    ASSUME(run_count >= 1 && run_count <= RUNS);
    for (int i = 0; i < RUNS; i++)
        ASSUME(is_run(runs[i]));
    newreno_rfc_9002_on_ack(&s, runs, run_count, app_limited);
    PROVE(newreno_rfc_9002_invariant(&s));
}

void prove_on_ce(uint64_t sent_time, uint64_t now) {
    struct newreno_rfc_9002 s = any_state();
    newreno_rfc_9002_on_ce(&s, sent_time, now);
    PROVE(newreno_rfc_9002_invariant(&s));
}

void prove_on_lost(uint64_t sent_time, uint64_t now) {
    struct newreno_rfc_9002 s = any_state();
    newreno_rfc_9002_on_lost(&s, sent_time, now);
    PROVE(newreno_rfc_9002_invariant(&s));
}

void prove_on_persistent_congestion(void) {
    struct newreno_rfc_9002 s = any_state();
    newreno_rfc_9002_on_persistent_congestion(&s);
    PROVE(newreno_rfc_9002_invariant(&s));
}

void prove_on_datagram_size(uint32_t max_datagram_size, int handshake) {
    struct newreno_rfc_9002 s = any_state();
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    newreno_rfc_9002_on_datagram_size(&s, max_datagram_size, handshake);
    PROVE(newreno_rfc_9002_invariant(&s));
}
