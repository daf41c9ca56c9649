/* Careful Resume (RFC 9959): it borrows NewReno's window for each call. */
#include "start.h"

static struct careful_resume_rfc_9959_window lent(const struct start *s)
{
    struct careful_resume_rfc_9959_window window;

    window.cwnd = s->base.congestion_window;
    window.ssthresh = s->base.ssthresh;
    window.recovery_start_time = s->base.congestion_recovery_start_time;
    return window;
}

static void take_back(struct start *s, const struct careful_resume_rfc_9959_window *window)
{
    s->base.congestion_window = window->cwnd;
    s->base.ssthresh = window->ssthresh;
    s->base.congestion_recovery_start_time = window->recovery_start_time;
}

static void begin(struct start *s, uint32_t datagram_bytes)
{
    careful_resume_rfc_9959_begin(&s->is.resume, datagram_bytes, s->base.congestion_window);
}

static void on_sent(struct start *s, const struct sent *sent)
{
    struct careful_resume_rfc_9959_window window = lent(s);
    struct careful_resume_rfc_9959_sent left;

    left.now = sent->now_ns;
    left.first = sent->first;
    left.last = sent->last;
    left.bytes = sent->bytes;
    left.bytes_in_flight = sent->bytes_in_flight;
    left.app_limited = 0;
    careful_resume_rfc_9959_on_event(&s->is.resume, sent->now_ns);
    careful_resume_rfc_9959_on_sent(&s->is.resume, &left, &window);
    take_back(s, &window);
}

static void on_ack(struct start *s, const struct ack *ack)
{
    struct careful_resume_rfc_9959_window window = lent(s);
    struct careful_resume_rfc_9959_run runs[START_RUNS];
    struct careful_resume_rfc_9959_ack arrived;

    careful_resume_rfc_9959_on_event(&s->is.resume, ack->now_ns);
    if (careful_resume_rfc_9959_on_ack_in_normal_cc(&s->is.resume, &window, &s->base.ssthresh)) {
        base_on_ack(s, ack); /* with the threshold that it was given */
    }
    s->base.ssthresh = window.ssthresh;
    for (uint32_t i = 0; i < ack->run_count; i++) {
        runs[i].first = ack->runs[i].first;
        runs[i].last = ack->runs[i].last;
        runs[i].size_bytes = ack->runs[i].size_bytes;
    }
    arrived.now = ack->now_ns;
    arrived.bytes = ack->bytes;
    arrived.bytes_in_flight = ack->bytes_in_flight;
    arrived.rtt = ack->rtt_ns;
    arrived.runs = runs;
    arrived.run_count = ack->run_count;
    window = lent(s);
    careful_resume_rfc_9959_on_ack(&s->is.resume, &arrived, &window);
    take_back(s, &window);
}

static void on_lost(struct start *s, const struct lost *lost)
{
    struct careful_resume_rfc_9959_window window = lent(s);
    uint32_t trigger = lost->marked ? CAREFUL_RESUME_RFC_9959_TRIGGER_ECN_CE : CAREFUL_RESUME_RFC_9959_TRIGGER_PACKET_LOSS;
    enum careful_resume_rfc_9959_outcome outcome;

    careful_resume_rfc_9959_on_event(&s->is.resume, lost->now_ns);
    outcome = careful_resume_rfc_9959_on_detected_congestion(&s->is.resume, trigger, lost->now_ns, lost->bytes_in_flight, &window);
    if (outcome == CAREFUL_RESUME_RFC_9959_NORMAL && lost->persistent) {
        careful_resume_rfc_9959_on_persistent_congestion(&s->is.resume, &window);
    }
    take_back(s, &window);
    if (outcome == CAREFUL_RESUME_RFC_9959_NORMAL) {
        base_on_lost(s, lost);
    }
}

static void on_ready(struct start *s, const struct ready *ready)
{
    struct careful_resume_rfc_9959_window window = lent(s);
    struct careful_resume_rfc_9959_saved saved;

    saved.saved_cwnd = ready->saved_cwnd;
    saved.saved_rtt = ready->saved_rtt_ns;
    saved.expires = saved.max_jump = CAREFUL_RESUME_RFC_9959_NONE; /* the application checks the Lifetime of the set */
    saved.beta_numerator = 1;
    saved.beta_denominator = 2;
    saved.endpoint_matches = 1;
    saved.in_use = 0;
    careful_resume_rfc_9959_on_event(&s->is.resume, ready->now_ns);
    careful_resume_rfc_9959_on_saved_path(&s->is.resume, &saved, ready->now_ns);
    careful_resume_rfc_9959_on_backlog(&s->is.resume, ready->now_ns, ready->queued_bytes, ready->receive_window_bytes, &window);
    take_back(s, &window);
}

const struct algorithm start_careful_resume = {begin, on_sent, on_ack, on_lost, on_ready};
