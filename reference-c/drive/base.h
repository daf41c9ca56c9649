/* The controller below a startup algorithm under test: the plain NewReno. */
#ifndef PLAIN_DRIVE_BASE_H
#define PLAIN_DRIVE_BASE_H

#include "newreno_rfc_9002.h"
#include "drive.h"

/* Not outcomes of the header: an event without effect, or packets sent. The test uses these numbers. */
enum { BASE_UNCHANGED = 100, BASE_SENT = 101 };

static struct newreno_rfc_9002 base;

static inline struct drive_answer answer_of(const char *header, int outcome) {
    const char *phase = base.in_recovery ? "recovery" : newreno_rfc_9002_in_slow_start(&base) ? "slow_start" : "congestion_avoidance";
    struct drive_answer answer = {header, outcome, base.congestion_window, base.ssthresh, DRIVE_NONE, 0, phase};
    return answer;
}

static inline uint64_t latest_sent(const struct drive_event *event) {
    uint64_t latest = 0;
    EACH_RUN(event, i)
        latest = event->runs[i].sent_t_ns > latest ? event->runs[i].sent_t_ns : latest;
    return latest;
}

static inline uint64_t packets_of(const struct drive_event *event) {
    uint64_t packets = 0;
    EACH_RUN(event, i)
        packets += event->runs[i].last - event->runs[i].first + 1;
    return packets;
}

/* Startup algorithms leave the bound on windows to the controller. */
static inline void set_window(uint64_t cwnd) {
    base.congestion_window = cwnd < NEWRENO_RFC_9002_WINDOW_MAX ? cwnd : NEWRENO_RFC_9002_WINDOW_MAX;
}

#ifdef __bpf__
#include "bpf_base.h"
#else
static struct newreno_rfc_9002_run newreno_runs[DRIVE_RUNS];

DRIVE_MEASURED static int newreno_on_ack(uint32_t run_count, int app_limited) {
    return (int)newreno_rfc_9002_on_ack(&base, newreno_runs, run_count, app_limited);
}

static int base_on_ack(const struct drive_event *event) {
    EACH_RUN(event, i) {
        newreno_runs[i].count = (uint32_t)(event->runs[i].last - event->runs[i].first + 1);
        newreno_runs[i].size_bytes = (uint32_t)event->runs[i].size_bytes;
        newreno_runs[i].sent_time = event->runs[i].sent_t_ns;
    }
    return newreno_on_ack((uint32_t)event->run_count, event->app_limited != 0);
}
#endif

static inline struct drive_answer base_on_event(const struct drive_event *event) {
    int outcome = BASE_UNCHANGED;
    if (event->kind == SENT)
        outcome = BASE_SENT;
    else if (event->kind == ACK)
        outcome = base_on_ack(event);
    else if (event->kind == LOST && !event->pmtu_probe)
        outcome = newreno_rfc_9002_on_lost(&base, latest_sent(event), event->t_ns);
    else if (event->kind == CE)
        outcome = newreno_rfc_9002_on_ce(&base, event->sent_t_ns, event->t_ns);
    else if (event->kind == PERSISTENT_CONGESTION)
        outcome = newreno_rfc_9002_on_persistent_congestion(&base);
    else if (event->kind == DATAGRAM_SIZE)
        newreno_rfc_9002_on_datagram_size(&base, (uint32_t)event->max_datagram_size_bytes, event->handshake != 0);
    return answer_of("newreno_rfc_9002", outcome);
}

#endif
