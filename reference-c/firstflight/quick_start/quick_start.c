/* Quick-Start: the flow of an event. Mirrors reference-py/src/firstflight/quick_start/quick_start.py. */
#include "firstflight/quick_start/quick_start.h"

#include "firstflight/limited_slow_start/limited_slow_start.h"
#include "firstflight/limits.h"
#include "firstflight/minmax.h"

void ff_quick_start_begin(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                          const struct ff_base_state *base)
{
    bool at_handshake = readings->first_request == FF_QUICK_START_FIRST_REQUEST_HANDSHAKE;

    (void)base;
    *state = (struct ff_quick_start){
        .at_handshake = at_handshake,
        .armed = !at_handshake, /* [quick-start.request.data] */
        .request_packet = FF_NO_PACKET,
        .first_quick = FF_NO_PACKET,
        .end_quick = FF_NO_PACKET,
    };
}

static void enter(struct ff_quick_start *state, struct ff_base_state *base, uint64_t now_ns, uint64_t packets)
{
    state->quick = true;
    state->midway = !state->at_handshake;
    state->start_ns = now_ns;
    state->planned_packets = packets;
    state->sent_packets = 0;
    state->window_bytes = packets * base->max_datagram_size_bytes;
    state->usual_bytes = base->cwnd_bytes;
    state->first_quick = state->next_packet;
    state->end_quick = FF_NO_PACKET;
    state->lost_packets = 0;
    base->cwnd_bytes = state->window_bytes; /* [quick-start.begin] */
}

/* Return whether requests and answers are ignored. */
static bool is_barred(const struct ff_quick_start *state, const struct ff_base_state *base)
{
    if (state->barred) {
        return true; /* [quick-start.request.barred] */
    }
    if (base->in_recovery) {
        return true; /* [quick-start.request.recovery] */
    }
    return false;
}

/* Use the approved rate, or return the reason for not using it; then the window does not change. */
static enum ff_outcome on_answer(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                                 struct ff_base_state *base, uint64_t now_ns, uint64_t rtt_ns)
{
    if (is_barred(state, base)) {
        return FF_OUTCOME_QUICK_START_BARRED;
    }
    if (readings->rate_code == 0) {
        return FF_OUTCOME_QUICK_START_REFUSED; /* [quick-start.refused] */
    }
    if (rtt_ns == FF_NO_RTT_NS) {
        return FF_OUTCOME_NO_RTT_SAMPLE; /* [quick-start.no-rtt] */
    }
    uint64_t packets = ff_quick_start_window_packets(readings, base->max_datagram_size_bytes, rtt_ns);
    if (packets * base->max_datagram_size_bytes <= base->cwnd_bytes) {
        return FF_OUTCOME_QUICK_START_IGNORED; /* [quick-start.ignored] */
    }
    enter(state, base, now_ns, packets);
    state->limited = readings->growth == FF_QUICK_START_GROWTH_LIMITED; /* [quick-start.limited] */
    return FF_OUTCOME_QUICK_START_BEGUN;
}

/* Process the first data: the answer to the request of the handshake has arrived. */
static enum ff_outcome on_backlog(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                                  struct ff_base_state *base, const struct ff_event *event)
{
    if (!state->at_handshake) {
        return ff_newreno_on_event(base, event);
    }
    enum ff_outcome outcome =
        on_answer(readings, state, base, event->t_ns, event->backlog.latest_rtt_ns); /* [quick-start.request.handshake] */
    state->at_handshake = false;
    return outcome;
}

/* Request again, unless a request is pending or a rate is in use. */
static enum ff_outcome on_idle_restart(struct ff_quick_start *state, const struct ff_base_state *base)
{
    if (is_barred(state, base)) {
        return FF_OUTCOME_QUICK_START_BARRED;
    }
    if (state->at_handshake || state->request_packet != FF_NO_PACKET) {
        return FF_OUTCOME_UNCHANGED; /* [quick-start.request.one] */
    }
    if (state->quick) {
        return FF_OUTCOME_UNCHANGED; /* [quick-start.request.in-use] */
    }
    state->armed = true; /* [quick-start.request.idle] */
    return FF_OUTCOME_QUICK_START_ARMED;
}

static enum ff_outcome on_sent(struct ff_quick_start *state, struct ff_base_state *base, uint64_t t_ns, const struct ff_sent *sent)
{
    (void)ff_newreno_on_sent(base, t_ns, sent);
    state->next_packet = sent->packets[sent->run_count - 1].last + 1;
    ff_quick_start_set_in_flight(state, sent->bytes_in_flight);
    if (state->armed) {
        state->armed = false;
        state->request_packet = sent->packets[0].first;
        return FF_OUTCOME_QUICK_START_REQUESTED;
    }
    if (state->quick) {
        for (size_t i = 0; i < sent->run_count; i++) {
            state->sent_packets = ff_min(state->sent_packets + ff_run_count(&sent->packets[i]), state->planned_packets);
        }
    }
    return FF_OUTCOME_SENT;
}

/* Return whether these packets include the packet with the request, and forget it. */
static bool take_request(struct ff_quick_start *state, const struct ff_run *runs, size_t run_count)
{
    for (size_t i = 0; i < run_count; i++) {
        if (runs[i].first <= state->request_packet && state->request_packet <= runs[i].last) {
            state->request_packet = FF_NO_PACKET;
            return true;
        }
    }
    return false;
}

/* End the mode if this ACK ends it; return whether it did. in_flight_bytes is still the value before the ACK. */
static bool end_by_ack(const struct ff_quick_start_readings *readings, struct ff_quick_start *state, struct ff_base_state *base,
                       const struct ff_ack *ack)
{
    if (ff_quick_start_quick_packets_of(state, ack->packets, ack->run_count) == 0 || !state->quick) {
        return false; /* [quick-start.older-ack] */
    }
    ff_quick_start_end_mode(state); /* [quick-start.end] */
    uint64_t least_bytes = ff_newreno_minimum_window_bytes(base); /* [quick-start.end.least] */
    if (readings->least_used == FF_QUICK_START_LEAST_USED_USUAL_WINDOW) {
        least_bytes = state->usual_bytes;
    }
    uint64_t used_bytes = ff_max(state->in_flight_bytes, least_bytes);
    base->cwnd_bytes = ff_min(base->cwnd_bytes, used_bytes); /* [quick-start.end.used] */
    return true;
}

static enum ff_outcome grow(const struct ff_quick_start *state, struct ff_base_state *base, const struct ff_event *event)
{
    if (state->limited && ff_newreno_phase(base) == FF_PHASE_SLOW_START) {
        /* The limit of slow start after a rate was used, without state. */
        const struct ff_limited_slow_start_readings *limited =
            &ff_limited_slow_start_profiles[FF_LIMITED_SLOW_START_PROFILE_RFC_3742_PACKETS].readings;
        struct ff_limited_slow_start none = {0};
        struct ff_observation seen;
        ff_limited_slow_start_step(limited, &none, base, event, &seen); /* [quick-start.limited.packets] */
        return seen.outcome;
    }
    return ff_newreno_on_ack(base, event->t_ns, &event->ack); /* [quick-start.growth] */
}

static enum ff_outcome on_ack(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                              struct ff_base_state *base, const struct ff_event *event)
{
    const struct ff_ack *ack = &event->ack;
    bool ended = end_by_ack(readings, state, base, ack);

    ff_quick_start_set_in_flight(state, ack->bytes_in_flight);
    enum ff_outcome outcome = grow(state, base, event);
    if (take_request(state, ack->packets, ack->run_count)) {
        return on_answer(readings, state, base, event->t_ns, ack->latest_rtt_ns); /* [quick-start.request.answer] */
    }
    return ended ? FF_OUTCOME_QUICK_START_ENDED : outcome;
}

static void lower_threshold(const struct ff_quick_start_readings *readings, const struct ff_quick_start *state,
                            struct ff_base_state *base)
{
    if (readings->loss_threshold == FF_QUICK_START_LOSS_THRESHOLD_KEPT) {
        return;
    }
    uint64_t packets = ff_min(ff_quick_start_delivered_packets(state), FF_WINDOW_MAX_BYTES / base->max_datagram_size_bytes);
    uint64_t half_bytes = ff_max(packets * base->max_datagram_size_bytes / 2, ff_newreno_minimum_window_bytes(base));
    if (half_bytes < base->ssthresh_bytes) { /* FF_SSTHRESH_INFINITE is the largest number */
        base->ssthresh_bytes = half_bytes; /* [quick-start.loss.threshold] */
    }
}

/* Begin a recovery period with the window that would have been used without the approved rate. */
static void revert(struct ff_quick_start *state, struct ff_base_state *base, uint64_t now_ns)
{
    uint64_t usual_bytes = state->usual_bytes;
    uint64_t threshold_bytes = base->ssthresh_bytes;

    if (state->midway) {
        usual_bytes = ff_min(state->window_bytes / 2, usual_bytes); /* [quick-start.loss.midway] */
    }
    uint64_t lower_bytes = ff_min(usual_bytes, base->cwnd_bytes); /* [quick-start.loss.revert] */
    uint64_t least_bytes = ff_newreno_minimum_window_bytes(base);
    uint64_t window_bytes = ff_max(lower_bytes, least_bytes); /* [quick-start.loss.revert.least] */
    ff_newreno_begin_recovery(base, now_ns, window_bytes, base->cwnd_bytes); /* [quick-start.loss.revert.recovery] */
    ff_newreno_forget_congestion(base);
    base->ssthresh_bytes = threshold_bytes;
    ff_quick_start_end_mode(state);
    state->limited = false;
    state->barred = true; /* [quick-start.loss.bar] */
}

/* Revert at the first loss or mark of a Quick-Start packet; the base controller processes other losses and marks. */
static enum ff_outcome on_congestion(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                                     struct ff_base_state *base, const struct ff_event *event, bool of_quick)
{
    if (of_quick && !state->barred) {
        revert(state, base, event->t_ns);
        lower_threshold(readings, state, base);
        return FF_OUTCOME_QUICK_START_REVERTED;
    }
    enum ff_outcome outcome = ff_newreno_on_event(base, event); /* [quick-start.loss.other] */
    if (outcome == FF_OUTCOME_REDUCED) {
        ff_quick_start_end_mode(state); /* [quick-start.end.congestion] */
    }
    if (of_quick) {
        lower_threshold(readings, state, base);
    }
    return outcome;
}

static enum ff_outcome on_lost(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                               struct ff_base_state *base, const struct ff_event *event)
{
    const struct ff_lost *lost = &event->lost;

    if (lost->pmtu_probe) {
        ff_quick_start_set_in_flight(state, lost->bytes_in_flight);
        return ff_newreno_on_lost(base, event->t_ns, lost);
    }
    (void)take_request(state, lost->packets, lost->run_count); /* [quick-start.request.lost] */
    uint64_t packets = ff_quick_start_quick_packets_of(state, lost->packets, lost->run_count);
    state->lost_packets = ff_min(state->lost_packets + packets, FF_PACKET_MAX);
    enum ff_outcome outcome = on_congestion(readings, state, base, event, packets > 0);
    ff_quick_start_set_in_flight(state, lost->bytes_in_flight);
    return outcome;
}

static enum ff_outcome on_event(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    enum ff_outcome outcome;

    switch (event->kind) {
    case FF_EVENT_BACKLOG:
        return on_backlog(readings, state, base, event);
    case FF_EVENT_SENT:
        return on_sent(state, base, event->t_ns, &event->sent);
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event);
    case FF_EVENT_LOST:
        return on_lost(readings, state, base, event);
    case FF_EVENT_CE: {
        bool of_quick = ff_quick_start_quick_packets(state, event->ce.packet, event->ce.packet) > 0; /* [quick-start.loss.ecn] */
        return on_congestion(readings, state, base, event, of_quick);
    }
    case FF_EVENT_IDLE_RESTART:
        return on_idle_restart(state, base);
    case FF_EVENT_PERSISTENT_CONGESTION:
    case FF_EVENT_PTO:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_DATAGRAM_SIZE:
    case FF_EVENT_PATH_CHANGE:
    case FF_EVENT_SPURIOUS_LOSS:
        break;
    }
    outcome = ff_newreno_on_event(base, event);
    if (outcome == FF_OUTCOME_COLLAPSED) {
        ff_quick_start_end_mode(state);
    }
    return outcome;
}

static void observe(const struct ff_quick_start_readings *readings, const struct ff_quick_start *state,
                    const struct ff_base_state *base, enum ff_outcome outcome, struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    if (state->quick) {
        observation->phase = FF_PHASE_QUICK_START;
    }
    observation->next_release_ns = ff_quick_start_next_release_ns(readings, state, base->max_datagram_size_bytes);
    observation->planned_packets = state->planned_packets;
    observation->sent_packets = state->sent_packets;
    observation->usual_cwnd_bytes = state->usual_bytes;
    observation->quick_lost_packets = state->lost_packets;
}

void ff_quick_start_step(const struct ff_quick_start_readings *readings, struct ff_quick_start *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(readings, state, base, outcome, observation);
    }
}
