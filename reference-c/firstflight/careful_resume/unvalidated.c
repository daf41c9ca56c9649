/* The jump and the Unvalidated phase. Mirrors reference-py/src/firstflight/careful_resume/unvalidated.py. */
#include "firstflight/careful_resume/pacing.h"
#include "firstflight/careful_resume/phases.h"
#include "firstflight/minmax.h"

/* Return the window of the phase, in bytes. */
static uint64_t jump_bytes(const struct ff_saved_path *used)
{
    uint64_t jump = used->saved_cwnd_bytes / 2; /* [careful-resume.jump.half] [careful-resume.jump.amount] */

    if (used->max_jump_bytes != FF_NONE && used->max_jump_bytes < jump) {
        jump = used->max_jump_bytes; /* [careful-resume.jump.maximum] */
    }
    return jump;
}

static uint64_t first_pipesize_bytes(const struct ff_careful_resume_readings *readings,
                                     const struct ff_careful_resume *state, const struct ff_base_state *base)
{
    if (readings->pipesize_start == FF_CAREFUL_RESUME_PIPESIZE_START_FLIGHT) {
        return state->flight_bytes;
    }
    return base->cwnd_bytes;
}

struct ff_careful_resume_report ff_careful_resume_enter(const struct ff_careful_resume_readings *readings,
                                                        struct ff_careful_resume *state, struct ff_base_state *base,
                                                        uint64_t now_ns)
{
    uint64_t jump = jump_bytes(&state->used);

    if (jump <= base->cwnd_bytes && readings->jump_not_larger == FF_CAREFUL_RESUME_JUMP_NOT_LARGER_STOP) {
        ff_careful_resume_end(state); /* [careful-resume.jump.not-larger] */
        return (struct ff_careful_resume_report){FF_OUTCOME_JUMP_NOT_LARGER, FF_TRIGGER_NONE};
    }
    state->phase = FF_PHASE_UNVALIDATED; /* [careful-resume.jump.enter] */
    state->pipesize_bytes = first_pipesize_bytes(readings, state, base); /* [careful-resume.pipesize.begin] */
    state->jump_bytes = jump;
    state->limit_from_ns = now_ns;
    state->schedule = (struct ff_careful_resume_schedule){now_ns, 0, state->rtt.latest_ns}; /* [careful-resume.pacing.current-rtt] */
    base->cwnd_bytes = jump;
    return (struct ff_careful_resume_report){FF_OUTCOME_JUMPED, FF_TRIGGER_CONGESTION_WINDOW_LIMITED};
}

static uint64_t limit_ns(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    switch (readings->limit_rtt) {
    case FF_CAREFUL_RESUME_LIMIT_RTT_LATEST:
        return state->rtt.latest_ns;
    case FF_CAREFUL_RESUME_LIMIT_RTT_SMOOTHED:
        return state->rtt.smoothed_ns;
    default:
        return state->rtt.minimum_ns;
    }
}

static bool time_is_over(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                         const struct ff_event *event)
{
    uint64_t limit = limit_ns(readings, state);
    bool watched = event->kind == FF_EVENT_ACK || readings->limit_checked == FF_CAREFUL_RESUME_LIMIT_CHECKED_EVERY_EVENT;

    if (limit == FF_NO_RTT_NS || !watched) {
        return false;
    }
    uint64_t spent_ns = event->t_ns - state->limit_from_ns; /* [careful-resume.unvalidated.every-event] */
    return spent_ns > limit;
}

/* Return the window if too little of the jump was used to continue, or FF_NONE if it was used. */
static uint64_t rate_limited_bytes(const struct ff_careful_resume_readings *readings,
                                   const struct ff_careful_resume *state)
{
    uint64_t floor_bytes = 0;

    if (readings->flight_check == FF_CAREFUL_RESUME_FLIGHT_CHECK_BOTH) {
        floor_bytes = state->initial_window_bytes;
    }
    if (state->flight_bytes <= state->pipesize_bytes || state->flight_bytes < floor_bytes) {
        return ff_max(state->pipesize_bytes, floor_bytes); /* [careful-resume.unvalidated.rate-limited] */
    }
    return FF_NONE;
}

/* Enter the Validating phase, or end Careful Resume if the jump was not used. */
static struct ff_careful_resume_report leave(const struct ff_careful_resume_readings *readings,
                                             struct ff_careful_resume *state, struct ff_base_state *base,
                                             enum ff_trigger trigger)
{
    uint64_t limited_bytes = rate_limited_bytes(readings, state);

    if (limited_bytes != FF_NONE) {
        base->cwnd_bytes = limited_bytes;
        ff_careful_resume_end(state);
        return (struct ff_careful_resume_report){FF_OUTCOME_RATE_LIMITED, FF_TRIGGER_RATE_LIMITED};
    }
    base->cwnd_bytes = state->flight_bytes; /* [careful-resume.validating.begin] */
    if (state->marks.last_unvalidated == FF_NO_PACKET) {
        state->marks.last_unvalidated = state->marks.sent; /* only in readings where PipeSize starts below the flight */
    }
    state->phase = FF_PHASE_VALIDATING;
    return (struct ff_careful_resume_report){FF_OUTCOME_VALIDATION_BEGUN, trigger};
}

/* Leave the phase if there is a trigger or its time is over; otherwise return the given report. */
static struct ff_careful_resume_report leave_if(const struct ff_careful_resume_readings *readings,
                                                struct ff_careful_resume *state, struct ff_base_state *base,
                                                const struct ff_event *event, enum ff_trigger trigger,
                                                struct ff_careful_resume_report report)
{
    if (time_is_over(readings, state, event)) {
        trigger = trigger != FF_TRIGGER_NONE ? trigger : FF_TRIGGER_RTT_EXCEEDED; /* [careful-resume.unvalidated.one-rtt] */
    }
    return trigger != FF_TRIGGER_NONE ? leave(readings, state, base, trigger) : report;
}

static bool is_full(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                    const struct ff_base_state *base)
{
    if (readings->window_full == FF_CAREFUL_RESUME_WINDOW_FULL_DATAGRAM) {
        return base->cwnd_bytes < state->flight_bytes + base->max_datagram_size_bytes; /* [careful-resume.unvalidated.room] */
    }
    return base->cwnd_bytes <= state->flight_bytes;
}

static void mark_sent(struct ff_careful_resume_marks *marks, const struct ff_sent *sent)
{
    if (marks->first_unvalidated == FF_NO_PACKET) {
        marks->first_unvalidated = sent->packets[0].first; /* [careful-resume.marks.first] */
    }
    marks->last_unvalidated = sent->packets[sent->run_count - 1].last; /* [careful-resume.marks.last] [careful-resume.marks.probes] */
}

struct ff_careful_resume_report ff_careful_resume_on_sent(const struct ff_careful_resume_readings *readings,
                                                          struct ff_careful_resume *state, struct ff_base_state *base,
                                                          const struct ff_event *event)
{
    struct ff_careful_resume_report report = {FF_OUTCOME_SENT, FF_TRIGGER_NONE};
    enum ff_trigger trigger = FF_TRIGGER_NONE;

    mark_sent(&state->marks, &event->sent);
    ff_careful_resume_pace_sent(state, base, event->t_ns, &event->sent);
    state->unvalidated_left_bytes = ff_careful_resume_saturated(state->unvalidated_left_bytes + event->sent.bytes);
    if (is_full(readings, state, base)) {
        trigger = FF_TRIGGER_LAST_UNVALIDATED_PACKET_SENT; /* [careful-resume.unvalidated.window-full] */
    }
    return leave_if(readings, state, base, event, trigger, report);
}

static struct ff_careful_resume_report on_ack(const struct ff_careful_resume_readings *readings,
                                              struct ff_careful_resume *state, struct ff_base_state *base,
                                              const struct ff_event *event)
{
    const struct ff_saved_path *used = &state->used;
    uint64_t latest_ns = event->ack.latest_rtt_ns;
    enum ff_trigger trigger = FF_TRIGGER_NONE;

    ff_careful_resume_acknowledge(readings, state, &event->ack); /* [careful-resume.unvalidated.pipesize] */
    if (ff_careful_resume_rtt_too_low(readings, latest_ns, used) || ff_careful_resume_rtt_too_high(latest_ns, used)) {
        trigger = FF_TRIGGER_PATH_CHANGED; /* [careful-resume.unvalidated.rtt-change] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    }
    ff_careful_resume_pace_rtt(state);
    struct ff_careful_resume_report report = {FF_OUTCOME_WINDOW_KEPT, FF_TRIGGER_NONE}; /* [careful-resume.unvalidated.no-growth] */
    if (ff_careful_resume_reached(state->marks.acked, state->marks.first_unvalidated)) {
        trigger = FF_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED; /* [careful-resume.unvalidated.first-acknowledged] */
    }
    return leave_if(readings, state, base, event, trigger, report);
}

struct ff_careful_resume_report ff_careful_resume_on_unvalidated(const struct ff_careful_resume_readings *readings,
                                                                 struct ff_careful_resume *state,
                                                                 struct ff_base_state *base, const struct ff_event *event,
                                                                 const struct ff_careful_resume_normal *normal)
{
    struct ff_careful_resume_report report = {normal->outcome, FF_TRIGGER_NONE};
    enum ff_trigger trigger;

    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event);
    case FF_EVENT_LOST:
        if (event->lost.pmtu_probe) {
            (void)ff_careful_resume_take_unvalidated(state, event->lost.packets, event->lost.run_count);
            return leave_if(readings, state, base, event, FF_TRIGGER_NONE, report); /* [careful-resume.pmtu-probe] */
        }
        return ff_careful_resume_retreat_on_lost(readings, state, base, event); /* [careful-resume.unvalidated.loss] */
    case FF_EVENT_CE:
        trigger = FF_TRIGGER_ECN_CE; /* [careful-resume.unvalidated.ce] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    case FF_EVENT_PATH_CHANGE:
        trigger = FF_TRIGGER_PATH_CHANGED; /* [careful-resume.unvalidated.path] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_careful_resume_stop(state, base, normal);
    default:
        return leave_if(readings, state, base, event, FF_TRIGGER_NONE, report);
    }
}
