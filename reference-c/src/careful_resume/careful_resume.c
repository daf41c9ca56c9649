/* Careful Resume: one event at a time. Mirrors reference-py/src/firstflight/careful_resume.py. */
#include "firstflight/careful_resume/careful_resume.h"

#include "firstflight/careful_resume/phases.h"
#include "firstflight/careful_resume/saved.h"
#include "firstflight/careful_resume/unvalidated.h"
#include "firstflight/search/startup.h"

const struct ff_search_readings *ff_careful_resume_search_readings(void)
{
    return &ff_search_profiles[FF_SEARCH_PROFILE_LANMAN_2024].readings;
}

void ff_careful_resume_begin(struct ff_careful_resume *state, const struct ff_newreno *base)
{
    *state = (struct ff_careful_resume){
        .phase = FF_PHASE_NORMAL,
        .initial_window_bytes = base->cwnd_bytes,
        .used = {.expires_t_ns = FF_NONE, .max_jump_bytes = FF_NONE, .beta_numerator = 1, .beta_denominator = 1},
        .marks = {FF_NO_PACKET, FF_NO_PACKET, FF_NO_PACKET, FF_NO_PACKET},
        .initial = {0, FF_NO_PACKET, 0, 0},
        .rtt = {FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS},
        .limit_from_ns = FF_NONE,
        .round_trip = {FF_NO_PACKET, 0, false},
    };
}

/* What normal congestion control makes of the event. `observation` receives the numbers of SEARCH where there is one. */
static enum ff_status compute_normal(const struct ff_careful_resume_readings *readings, struct ff_search *search,
                                     const struct ff_event *event, struct ff_resume_normal *normal,
                                     struct ff_observation *observation)
{
    struct ff_newreno *base = &normal->base;
    uint64_t ssthresh_bytes = base->ssthresh_bytes;
    bool raised = event->kind == FF_EVENT_ACK && ssthresh_bytes == base->cwnd_bytes &&
                  readings->at_threshold == FF_CAREFUL_RESUME_AT_THRESHOLD_SLOW_START;

    if (raised) {
        base->ssthresh_bytes = ssthresh_bytes + 1; /* [careful-resume.normal.at-threshold] */
    }
    if (search == NULL) {
        normal->outcome = ff_newreno_on_event(base, event);
        ff_newreno_observe(base, normal->outcome, observation);
    } else {
        /* The bins fill in every phase; where the window is frozen, an exit is computed and dropped. */
        enum ff_status status = ff_search_startup_step(ff_careful_resume_search_readings(), search,
                                                       base, event, observation);
        if (status != FF_OK) {
            return status;
        }
        normal->outcome = observation->outcome;
    }
    if (raised && base->ssthresh_bytes == ssthresh_bytes + 1) {
        base->ssthresh_bytes = ssthresh_bytes;
    }
    return FF_OK;
}

static uint64_t highest(uint64_t mark, uint64_t packet)
{
    return mark == FF_NO_PACKET || packet > mark ? packet : mark;
}

static void note_sent(struct ff_careful_resume *state, const struct ff_sent *sent)
{
    state->flight_bytes = ff_resume_saturated(sent->bytes_in_flight, 0);
    state->marks.sent = highest(state->marks.sent, sent->packets[sent->run_count - 1].last);
    state->backlog_bytes -= sent->bytes < state->backlog_bytes ? sent->bytes : state->backlog_bytes;
    if (sent->app_limited) {
        state->backlog_bytes = 0;
    }
}

static void note_ack(struct ff_careful_resume *state, const struct ff_ack *ack)
{
    struct ff_resume_rtt *rtt = &state->rtt;

    state->flight_bytes = ff_resume_saturated(ack->bytes_in_flight, 0);
    state->marks.acked = highest(state->marks.acked, ack->packets[ack->run_count - 1].last);
    if (ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return;
    }
    rtt->latest_ns = ack->latest_rtt_ns;
    rtt->smoothed_ns = ack->smoothed_rtt_ns;
    rtt->minimum_ns = ack->min_rtt_ns;
    if (rtt->phase_first_ns == FF_NO_RTT_NS) {
        rtt->phase_first_ns = rtt->latest_ns;
    }
    if (rtt->latest_ns < rtt->phase_minimum_ns) {
        rtt->phase_minimum_ns = rtt->latest_ns;
    }
}

/* Note what every phase needs: bytes in flight and waiting, the highest packets, the RTTs. */
static void note(struct ff_careful_resume *state, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_SENT) {
        note_sent(state, &event->sent);
    } else if (event->kind == FF_EVENT_ACK) {
        note_ack(state, &event->ack);
    } else if (event->kind == FF_EVENT_LOST) {
        state->flight_bytes = ff_resume_saturated(event->lost.bytes_in_flight, 0);
    } else if (event->kind == FF_EVENT_BACKLOG) {
        state->backlog_bytes = event->backlog.queued_bytes;
        if (event->backlog.receive_window_bytes < state->backlog_bytes) {
            state->backlog_bytes = event->backlog.receive_window_bytes; /* [careful-resume.flow-control] */
        }
    }
}

static void on_event(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                     const struct ff_event *event, const struct ff_resume_normal *normal, struct ff_resume_step *step)
{
    uint64_t sent_before = state->marks.sent;

    note(state, event);
    if (event->kind == FF_EVENT_SAVED_PATH) {
        step->outcome = ff_resume_on_saved_path(readings, state, event->t_ns, &event->saved_path);
        return;
    }
    switch (state->phase) {
    case FF_PHASE_RECONNAISSANCE:
        ff_resume_on_reconnaissance(readings, state, event, normal, step);
        return;
    case FF_PHASE_UNVALIDATED:
        if (event->kind == FF_EVENT_SENT) {
            ff_resume_on_sent(readings, state, event, sent_before, step);
        } else {
            ff_resume_on_unvalidated(readings, state, event, normal, step);
        }
        return;
    case FF_PHASE_VALIDATING:
        ff_resume_on_validating(readings, state, event, normal, step);
        return;
    case FF_PHASE_SAFE_RETREAT:
        ff_resume_on_retreat(readings, state, event, normal, step);
        return;
    default:
        if (event->kind == FF_EVENT_ACK) {
            ff_resume_observe(readings, state, &normal->base, &event->ack);
        }
        step->base = normal->base; /* [careful-resume.normal] */
        step->outcome = normal->outcome;
        return;
    }
}

enum ff_status ff_careful_resume_step(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                      struct ff_search *search, struct ff_newreno *base, const struct ff_event *event,
                                      struct ff_observation *observation)
{
    struct ff_resume_normal normal = {*base, FF_OUTCOME_UNCHANGED};
    struct ff_resume_step step = {*base, FF_OUTCOME_UNCHANGED, FF_TRIGGER_NONE};
    struct ff_observation searching;
    enum ff_status status = compute_normal(readings, search, event, &normal, &searching);

    if (status != FF_OK) {
        return status;
    }
    on_event(readings, state, event, &normal, &step);
    *base = step.base;
    ff_observation_clear(observation);
    observation->cwnd_bytes = base->cwnd_bytes;
    observation->ssthresh_bytes = base->ssthresh_bytes;
    observation->phase = state->phase;
    observation->outcome = step.outcome;
    observation->trigger = step.trigger;
    observation->next_release_ns = ff_resume_next_release_ns(readings, state);
    observation->first_unvalidated_packet = state->marks.first_unvalidated;
    observation->last_unvalidated_packet = state->marks.last_unvalidated;
    if (state->jump_bytes > 0) {
        observation->pipesize_bytes = state->pipesize_bytes;
        observation->jump_bytes = state->jump_bytes;
    }
    if (state->saved.cwnd_bytes > 0) {
        observation->saved_cwnd_bytes = state->saved.cwnd_bytes;
        observation->saved_rtt_ns = state->saved.rtt_ns;
        observation->saved_in_use = state->saved.in_use ? 1 : 0;
    }
    if (search != NULL) {
        observation->bin = searching.bin;
        observation->open_bin_bytes = searching.open_bin_bytes;
    }
    return FF_OK;
}
