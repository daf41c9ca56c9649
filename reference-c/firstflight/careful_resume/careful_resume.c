/* Careful Resume: one event at a time. Mirrors reference-py/src/firstflight/careful_resume/careful_resume.py. */
#include "firstflight/careful_resume/careful_resume.h"

#include "firstflight/careful_resume/pacing.h"
#include "firstflight/careful_resume/phases.h"
#include "firstflight/careful_resume/saved.h"
#include "firstflight/minmax.h"
#include "firstflight/search/startup.h"

const struct ff_search_readings *ff_careful_resume_search_readings(void)
{
    return &ff_search_profiles[FF_SEARCH_PROFILE_LANMAN_2024].readings;
}

void ff_careful_resume_begin(struct ff_careful_resume *state, const struct ff_base_state *base)
{
    *state = (struct ff_careful_resume){
        .phase = FF_PHASE_NORMAL,
        .initial_window_bytes = base->cwnd_bytes,
        .used = {.expires_t_ns = FF_NONE, .max_jump_bytes = FF_NONE, .beta_numerator = 1, .beta_denominator = 1},
        .marks = {FF_NO_PACKET, FF_NO_PACKET, FF_NO_PACKET, FF_NO_PACKET},
        .initial = {0, FF_NO_PACKET, 0},
        .rtt = {FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS},
        .round_trip = {FF_NO_PACKET, 0, false},
    };
}

/* Let normal congestion control process the event. SEARCH counts its bins in every phase. */
static enum ff_status run_normal(struct ff_search *search, const struct ff_event *event,
                                 struct ff_careful_resume_normal *normal)
{
    struct ff_observation seen;

    if (search == NULL) {
        normal->outcome = ff_newreno_on_event(&normal->base, event);
        return FF_OK;
    }
    enum ff_status status =
        ff_search_startup_step(ff_careful_resume_search_readings(), search, &normal->base, event, &seen);
    if (status == FF_OK) {
        normal->outcome = seen.outcome;
        normal->bin = seen.bin;
        normal->open_bin_bytes = seen.open_bin_bytes;
    }
    return status;
}

/* Write the result of normal congestion control for the event; the phase decides whether it counts. */
static enum ff_status compute_normal(const struct ff_careful_resume_readings *readings, struct ff_search *search,
                                     const struct ff_base_state *base, const struct ff_event *event,
                                     struct ff_careful_resume_normal *normal)
{
    uint64_t ssthresh_bytes = base->ssthresh_bytes;
    bool at_threshold = event->kind == FF_EVENT_ACK && ssthresh_bytes == base->cwnd_bytes;

    *normal = (struct ff_careful_resume_normal){*base, FF_OUTCOME_UNCHANGED, FF_NONE, FF_NONE};
    if (!(at_threshold && readings->at_threshold == FF_CAREFUL_RESUME_AT_THRESHOLD_SLOW_START)) {
        return run_normal(search, event, normal);
    }
    normal->base.ssthresh_bytes = base->cwnd_bytes + 1; /* [careful-resume.normal.at-threshold] */
    enum ff_status status = run_normal(search, event, normal);
    if (normal->base.ssthresh_bytes == base->cwnd_bytes + 1) {
        normal->base.ssthresh_bytes = ssthresh_bytes;
    }
    return status;
}

static void note_sent(struct ff_careful_resume *state, const struct ff_sent *sent)
{
    state->flight_bytes = ff_careful_resume_saturated(sent->bytes_in_flight);
    state->marks.sent = ff_careful_resume_highest(state->marks.sent, sent->packets[sent->run_count - 1].last);
    state->backlog_bytes = sent->app_limited ? 0 : state->backlog_bytes - ff_min(sent->bytes, state->backlog_bytes);
}

static void note_ack(struct ff_careful_resume *state, const struct ff_ack *ack)
{
    uint64_t latest_ns = ack->latest_rtt_ns;
    struct ff_careful_resume_rtt *rtt = &state->rtt;

    state->flight_bytes = ff_careful_resume_saturated(ack->bytes_in_flight);
    state->marks.acked = ff_careful_resume_highest(state->marks.acked, ack->packets[ack->run_count - 1].last);
    if (latest_ns == FF_NO_RTT_NS) {
        return;
    }
    rtt->latest_ns = latest_ns;
    rtt->smoothed_ns = ack->smoothed_rtt_ns;
    rtt->minimum_ns = ack->min_rtt_ns;
    if (rtt->phase_first_ns == FF_NO_RTT_NS) {
        rtt->phase_first_ns = latest_ns;
    }
    /* No RTT is larger than FF_NO_RTT_NS. */
    rtt->phase_minimum_ns = ff_min(rtt->phase_minimum_ns, latest_ns);
}

static void note_backlog(struct ff_careful_resume *state, const struct ff_backlog *backlog)
{
    state->backlog_bytes = backlog->queued_bytes;
    if (backlog->receive_window_bytes < state->backlog_bytes) {
        state->backlog_bytes = backlog->receive_window_bytes; /* [careful-resume.flow-control] */
    }
}

/* Record the state that every phase needs: bytes in flight and waiting, the highest packets, the RTTs. */
static void note(struct ff_careful_resume *state, const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_SENT:
        note_sent(state, &event->sent);
        return;
    case FF_EVENT_ACK:
        note_ack(state, &event->ack);
        return;
    case FF_EVENT_LOST:
        state->flight_bytes = ff_careful_resume_saturated(event->lost.bytes_in_flight);
        return;
    case FF_EVENT_BACKLOG:
        note_backlog(state, &event->backlog);
        return;
    default:
        return;
    }
}

static struct ff_careful_resume_report on_normal(const struct ff_careful_resume_readings *readings,
                                                 struct ff_careful_resume *state, struct ff_base_state *base,
                                                 const struct ff_event *event,
                                                 const struct ff_careful_resume_normal *normal)
{
    if (event->kind == FF_EVENT_ACK) {
        ff_careful_resume_measure(readings, state, &normal->base, &event->ack);
    }
    return ff_careful_resume_take_normal(base, normal); /* [careful-resume.normal] */
}

static struct ff_careful_resume_report on_event(const struct ff_careful_resume_readings *readings,
                                                struct ff_careful_resume *state, struct ff_base_state *base,
                                                const struct ff_event *event,
                                                const struct ff_careful_resume_normal *normal)
{
    note(state, event);
    if (event->kind == FF_EVENT_SAVED_PATH && state->phase != FF_PHASE_RECONNAISSANCE) {
        enum ff_outcome outcome = ff_careful_resume_on_saved_path(state, event->t_ns, &event->saved_path);
        return (struct ff_careful_resume_report){outcome, FF_TRIGGER_NONE};
    }
    switch (state->phase) {
    case FF_PHASE_RECONNAISSANCE:
        return ff_careful_resume_on_reconnaissance(readings, state, base, event, normal);
    case FF_PHASE_UNVALIDATED:
        if (event->kind == FF_EVENT_SENT) {
            return ff_careful_resume_on_sent(readings, state, base, event);
        }
        return ff_careful_resume_on_unvalidated(readings, state, base, event, normal);
    case FF_PHASE_VALIDATING:
        return ff_careful_resume_on_validating(readings, state, base, event, normal);
    case FF_PHASE_SAFE_RETREAT:
        return ff_careful_resume_on_retreat(readings, state, base, event, normal);
    default:
        return on_normal(readings, state, base, event, normal);
    }
}

static void observe(const struct ff_careful_resume *state, const struct ff_base_state *base,
                    const struct ff_careful_resume_normal *normal, struct ff_careful_resume_report report,
                    struct ff_observation *observation)
{
    ff_observation_clear(observation);
    observation->cwnd_bytes = base->cwnd_bytes;
    observation->ssthresh_bytes = base->ssthresh_bytes;
    observation->phase = state->phase;
    observation->outcome = report.outcome;
    observation->trigger = report.trigger;
    observation->next_release_ns = ff_careful_resume_next_release_ns(state);
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
    observation->bin = normal->bin;
    observation->open_bin_bytes = normal->open_bin_bytes;
}

enum ff_status ff_careful_resume_step(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                      struct ff_search *search, struct ff_base_state *base, const struct ff_event *event,
                                      struct ff_observation *observation)
{
    struct ff_careful_resume_normal normal;
    enum ff_status status = compute_normal(readings, search, base, event, &normal);

    if (status != FF_OK) {
        return status;
    }
    struct ff_careful_resume_report report = on_event(readings, state, base, event, &normal);
    if (observation != NULL) {
        observe(state, base, &normal, report, observation);
    }
    return FF_OK;
}
