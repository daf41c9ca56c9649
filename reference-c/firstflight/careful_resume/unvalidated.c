/* The jump and the Unvalidated phase. Mirrors reference-py/src/firstflight/careful_resume/unvalidated.py. */
#include "firstflight/careful_resume/pacing.h"
#include "firstflight/careful_resume/phases.h"
#include "firstflight/minmax.h"

/* Return how large the window of the phase is. */
static uint64_t jump_bytes(const struct ff_careful_resume_readings *readings, const struct ff_saved_path *used)
{
    uint64_t jump = used->saved_cwnd_bytes / 2; /* [careful-resume.jump.half] [careful-resume.jump.amount] */

    if (readings->jump == FF_CAREFUL_RESUME_JUMP_WHOLE) {
        jump = used->saved_cwnd_bytes;
    }
    if (used->max_jump_bytes != FF_NONE && used->max_jump_bytes < jump) {
        jump = used->max_jump_bytes; /* [careful-resume.jump.maximum] */
    }
    return jump;
}

static uint64_t first_pipesize_bytes(const struct ff_careful_resume_readings *readings,
                                     const struct ff_careful_resume *state, const struct ff_newreno *base)
{
    switch (readings->pipesize_start) {
    case FF_CAREFUL_RESUME_PIPESIZE_START_FLIGHT:
        return state->flight_bytes;
    case FF_CAREFUL_RESUME_PIPESIZE_START_WINDOW:
        return base->cwnd_bytes;
    default:
        return 0;
    }
}

struct ff_careful_resume_report ff_careful_resume_enter(const struct ff_careful_resume_readings *readings,
                                                        struct ff_careful_resume *state, struct ff_newreno *base,
                                                        uint64_t now_ns)
{
    uint64_t jump = jump_bytes(readings, &state->used);

    if (jump <= base->cwnd_bytes && readings->jump_not_larger == FF_CAREFUL_RESUME_JUMP_NOT_LARGER_STOP) {
        ff_careful_resume_end(state); /* [careful-resume.jump.not-larger] */
        return (struct ff_careful_resume_report){FF_OUTCOME_JUMP_NOT_LARGER, FF_TRIGGER_NONE};
    }
    state->phase = FF_PHASE_UNVALIDATED; /* [careful-resume.jump.enter] */
    state->pipesize_bytes = first_pipesize_bytes(readings, state, base); /* [careful-resume.pipesize.begin] */
    state->jump_bytes = jump;
    state->limit_from_ns = readings->limit_from == FF_CAREFUL_RESUME_LIMIT_FROM_ENTRY ? now_ns : FF_NONE;
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
    case FF_CAREFUL_RESUME_LIMIT_RTT_MINIMUM:
        return state->rtt.minimum_ns;
    default:
        return FF_NO_RTT_NS;
    }
}

static bool time_is_over(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                         const struct ff_event *event)
{
    uint64_t limit = limit_ns(readings, state);
    bool watched = event->kind == FF_EVENT_ACK || readings->limit_checked == FF_CAREFUL_RESUME_LIMIT_CHECKED_EVERY_EVENT;

    if (limit == FF_NO_RTT_NS || state->limit_from_ns == FF_NONE || !watched) {
        return false;
    }
    uint64_t spent_ns = event->t_ns - state->limit_from_ns; /* [careful-resume.unvalidated.every-event] */
    if (spent_ns == limit) {
        return readings->limit_equal == FF_CAREFUL_RESUME_LIMIT_EQUAL_EXITS;
    }
    return spent_ns > limit;
}

/* Return the bytes in flight; by a reading with those that the event has just acknowledged. */
static uint64_t flight_at_check_bytes(const struct ff_careful_resume_readings *readings,
                                      const struct ff_careful_resume *state, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_ACK && readings->flight_at_check == FF_CAREFUL_RESUME_FLIGHT_AT_CHECK_GROSS) {
        return ff_careful_resume_saturated(state->flight_bytes + event->ack.bytes);
    }
    return state->flight_bytes;
}

/* Return the window if the jump was too little used to go on, FF_NONE if it was used. */
static uint64_t rate_limited_bytes(const struct ff_careful_resume_readings *readings,
                                   const struct ff_careful_resume *state, uint64_t flight_bytes)
{
    uint64_t floor_bytes;

    switch (readings->flight_check) {
    case FF_CAREFUL_RESUME_FLIGHT_CHECK_BOTH:
        floor_bytes = state->initial_window_bytes;
        break;
    case FF_CAREFUL_RESUME_FLIGHT_CHECK_PIPESIZE:
        floor_bytes = 0;
        break;
    default:
        return FF_NONE;
    }
    if (flight_bytes <= state->pipesize_bytes || flight_bytes < floor_bytes) {
        return ff_max(state->pipesize_bytes, floor_bytes); /* [careful-resume.unvalidated.rate-limited] */
    }
    return FF_NONE;
}

static void mark_last(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state)
{
    if (readings->last_mark == FF_CAREFUL_RESUME_LAST_MARK_NEXT_PACKET) {
        state->marks.last_unvalidated = state->marks.sent == FF_NO_PACKET ? 1 : state->marks.sent + 1;
    } else if (state->marks.last_unvalidated == FF_NO_PACKET) {
        state->marks.last_unvalidated = state->marks.sent; /* only a reading in which PipeSize starts below the flight */
    }
}

/* Go on to the Validating phase, or end Careful Resume if the jump was not used. */
static struct ff_careful_resume_report leave(const struct ff_careful_resume_readings *readings,
                                             struct ff_careful_resume *state, struct ff_newreno *base,
                                             const struct ff_event *event, enum ff_trigger trigger)
{
    uint64_t flight_bytes = flight_at_check_bytes(readings, state, event);
    uint64_t limited_bytes = rate_limited_bytes(readings, state, flight_bytes);

    if (limited_bytes != FF_NONE) {
        base->cwnd_bytes = limited_bytes;
        ff_careful_resume_end(state);
        return (struct ff_careful_resume_report){FF_OUTCOME_RATE_LIMITED, FF_TRIGGER_RATE_LIMITED};
    }
    base->cwnd_bytes = flight_bytes; /* [careful-resume.validating.begin] */
    mark_last(readings, state);
    state->phase = FF_PHASE_VALIDATING;
    return (struct ff_careful_resume_report){FF_OUTCOME_VALIDATION_BEGUN, trigger};
}

/* Leave the phase if there is a trigger, or its time is over; or else report what was given. */
static struct ff_careful_resume_report leave_if(const struct ff_careful_resume_readings *readings,
                                                struct ff_careful_resume *state, struct ff_newreno *base,
                                                const struct ff_event *event, enum ff_trigger trigger,
                                                struct ff_careful_resume_report report)
{
    if (time_is_over(readings, state, event)) {
        trigger = trigger != FF_TRIGGER_NONE ? trigger : FF_TRIGGER_RTT_EXCEEDED; /* [careful-resume.unvalidated.one-rtt] */
    }
    return trigger != FF_TRIGGER_NONE ? leave(readings, state, base, event, trigger) : report;
}

static bool is_full(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                    const struct ff_newreno *base)
{
    switch (readings->window_full) {
    case FF_CAREFUL_RESUME_WINDOW_FULL_DATAGRAM:
        return base->cwnd_bytes < state->flight_bytes + base->max_datagram_size_bytes; /* [careful-resume.unvalidated.room] */
    case FF_CAREFUL_RESUME_WINDOW_FULL_EXACT:
        return base->cwnd_bytes <= state->flight_bytes;
    default:
        return false;
    }
}

static void mark_sent(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                      const struct ff_sent *sent, uint64_t before)
{
    struct ff_careful_resume_marks *marks = &state->marks;

    if (marks->first_unvalidated == FF_NO_PACKET) {
        marks->first_unvalidated = sent->packets[0].first; /* [careful-resume.marks.first] */
        if (readings->first_mark == FF_CAREFUL_RESUME_FIRST_MARK_LAST_BEFORE && before != FF_NO_PACKET) {
            marks->first_unvalidated = before;
        }
    }
    marks->last_unvalidated = sent->packets[sent->run_count - 1].last; /* [careful-resume.marks.last] [careful-resume.marks.probes] */
}

struct ff_careful_resume_report ff_careful_resume_on_sent(const struct ff_careful_resume_readings *readings,
                                                          struct ff_careful_resume *state, struct ff_newreno *base,
                                                          const struct ff_event *event, uint64_t before)
{
    struct ff_careful_resume_report report = {FF_OUTCOME_SENT, FF_TRIGGER_NONE};
    enum ff_trigger trigger = FF_TRIGGER_NONE;

    mark_sent(readings, state, &event->sent, before);
    ff_careful_resume_pace_sent(readings, state, base, event->t_ns, &event->sent);
    state->unvalidated_left_bytes = ff_careful_resume_saturated(state->unvalidated_left_bytes + event->sent.bytes);
    if (state->limit_from_ns == FF_NONE) {
        state->limit_from_ns = event->t_ns;
    }
    if (is_full(readings, state, base)) {
        trigger = FF_TRIGGER_LAST_UNVALIDATED_PACKET_SENT; /* [careful-resume.unvalidated.window-full] */
    }
    return leave_if(readings, state, base, event, trigger, report);
}

static struct ff_careful_resume_report on_ack(const struct ff_careful_resume_readings *readings,
                                              struct ff_careful_resume *state, struct ff_newreno *base,
                                              const struct ff_event *event,
                                              const struct ff_careful_resume_normal *normal)
{
    const struct ff_saved_path *used = &state->used;
    uint64_t latest_ns = event->ack.latest_rtt_ns;
    enum ff_trigger trigger = FF_TRIGGER_NONE;

    ff_careful_resume_acknowledge(readings, state, &event->ack); /* [careful-resume.unvalidated.pipesize] */
    if (ff_careful_resume_rtt_too_low(readings, latest_ns, used) || ff_careful_resume_rtt_too_high(readings, latest_ns, used)) {
        trigger = FF_TRIGGER_PATH_CHANGED; /* [careful-resume.unvalidated.rtt-change] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    }
    ff_careful_resume_pace_rtt(readings, state);
    struct ff_careful_resume_report report = {FF_OUTCOME_WINDOW_KEPT, FF_TRIGGER_NONE}; /* [careful-resume.unvalidated.no-growth] */
    if (readings->growth_unvalidated == FF_CAREFUL_RESUME_GROWTH_UNVALIDATED_BASE) {
        report = ff_careful_resume_take_normal(base, normal);
    }
    if (ff_careful_resume_reached(state->marks.acked, state->marks.first_unvalidated)) {
        trigger = FF_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED; /* [careful-resume.unvalidated.first-acknowledged] */
    }
    return leave_if(readings, state, base, event, trigger, report);
}

struct ff_careful_resume_report ff_careful_resume_on_unvalidated(const struct ff_careful_resume_readings *readings,
                                                                 struct ff_careful_resume *state,
                                                                 struct ff_newreno *base, const struct ff_event *event,
                                                                 const struct ff_careful_resume_normal *normal)
{
    struct ff_careful_resume_report report = {normal->outcome, FF_TRIGGER_NONE};
    enum ff_trigger trigger;

    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event, normal);
    case FF_EVENT_LOST:
        return ff_careful_resume_retreat_on_lost(readings, state, base, event); /* [careful-resume.unvalidated.loss] */
    case FF_EVENT_CE:
        if (readings->ce == FF_CAREFUL_RESUME_CE_BASE) {
            return ff_careful_resume_take_normal(base, normal);
        }
        trigger = FF_TRIGGER_ECN_CE; /* [careful-resume.unvalidated.ce] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    case FF_EVENT_PATH_CHANGE:
        trigger = FF_TRIGGER_PATH_CHANGED; /* [careful-resume.unvalidated.path] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_careful_resume_retreat_on_persistent(readings, state, base, event->t_ns, normal);
    default:
        return leave_if(readings, state, base, event, FF_TRIGGER_NONE, report);
    }
}
