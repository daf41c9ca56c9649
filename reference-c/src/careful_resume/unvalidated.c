/* The jump and the Unvalidated phase. Mirrors reference-py/src/firstflight/careful_resume_unvalidated.py. */
#include "firstflight/careful_resume/unvalidated.h"

static uint64_t jump_bytes(const struct ff_careful_resume_readings *readings, const struct ff_saved_path *used)
{
    uint64_t jump = used->saved_cwnd_bytes / 2; /* [careful-resume.jump.half] */

    if (readings->jump == FF_CAREFUL_RESUME_JUMP_WHOLE) {
        jump = used->saved_cwnd_bytes;
    }
    if (used->max_jump_bytes != FF_NONE && used->max_jump_bytes < jump) {
        jump = used->max_jump_bytes; /* [careful-resume.jump.maximum] */
    }
    return jump;
}

static uint64_t pipesize_start(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                               const struct ff_newreno *base)
{
    if (readings->pipesize_start == FF_CAREFUL_RESUME_PIPESIZE_START_FLIGHT) {
        return state->flight_bytes;
    }
    return readings->pipesize_start == FF_CAREFUL_RESUME_PIPESIZE_START_WINDOW ? base->cwnd_bytes : 0;
}

void ff_resume_enter(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state, uint64_t now_ns,
                     struct ff_resume_step *step)
{
    uint64_t jump = jump_bytes(readings, &state->used);

    if (jump <= step->base.cwnd_bytes && readings->jump_not_larger == FF_CAREFUL_RESUME_JUMP_NOT_LARGER_STOP) {
        ff_resume_end(state); /* [careful-resume.jump.not-larger] */
        step->outcome = FF_OUTCOME_JUMP_NOT_LARGER;
        return;
    }
    state->phase = FF_PHASE_UNVALIDATED; /* [careful-resume.jump.enter] */
    state->pipesize_bytes = pipesize_start(readings, state, &step->base); /* [careful-resume.pipesize.begin] */
    state->jump_bytes = jump;
    state->limit_from_ns = readings->limit_from == FF_CAREFUL_RESUME_LIMIT_FROM_ENTRY ? now_ns : FF_NONE;
    state->schedule = (struct ff_resume_schedule){now_ns, 0, state->rtt.latest_ns};
    step->base.cwnd_bytes = jump;
    step->outcome = FF_OUTCOME_JUMPED;
    step->trigger = FF_TRIGGER_CONGESTION_WINDOW_LIMITED;
}

/* How long so many bytes take at the jump per RTT, rounded up. */
static uint64_t duration_ns(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                            uint64_t bytes, uint64_t rtt_ns)
{
    uint64_t divisor = state->jump_bytes > 0 ? state->jump_bytes : 1;
    bool faster = readings->pacing_gain == FF_CAREFUL_RESUME_PACING_GAIN_FIVE_QUARTERS;
    /* Bytes are below 2^62. Rounding up twice, by the jump and by five, is rounding up once by five jumps. */
    uint64_t factor = faster ? 4 : 1;
    uint64_t wait_ns = ff_resume_share(factor * bytes, rtt_ns, divisor, true); /* [careful-resume.pacing.schedule] */

    if (faster) {
        wait_ns = wait_ns / 5 + (wait_ns % 5 > 0);
    }
    return wait_ns < FF_TIME_MAX_NS ? wait_ns : FF_TIME_MAX_NS;
}

uint64_t ff_resume_next_release_ns(const struct ff_careful_resume_readings *readings,
                                   const struct ff_careful_resume *state)
{
    const struct ff_resume_schedule *schedule = &state->schedule;

    if (state->phase != FF_PHASE_UNVALIDATED) {
        return FF_NONE;
    }
    /* Two times below 2^59. */
    uint64_t release_ns = schedule->t_ns + duration_ns(readings, state, schedule->bytes, schedule->rtt_ns);
    return release_ns < FF_TIME_MAX_NS ? release_ns : FF_TIME_MAX_NS;
}

/* Advance the schedule by packets sent; what a late sender may catch up is no more than an initial window. */
static void pace_sent(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                      uint64_t datagram_bytes, const struct ff_event *event)
{
    uint64_t release_ns = ff_resume_next_release_ns(readings, state);
    uint64_t window_bytes = state->initial_window_bytes;
    uint64_t burst_bytes = window_bytes > datagram_bytes ? window_bytes - datagram_bytes : 0;
    uint64_t lag_ns = duration_ns(readings, state, burst_bytes, state->schedule.rtt_ns);

    if (event->t_ns > release_ns + lag_ns) {
        state->schedule.t_ns = event->t_ns - lag_ns; /* [careful-resume.pacing.burst] */
        state->schedule.bytes = 0;
    }
    state->schedule.bytes = ff_resume_saturated(state->schedule.bytes, event->sent.bytes);
}

void ff_resume_pace_rtt(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state)
{
    if (state->rtt.latest_ns == state->schedule.rtt_ns) {
        return;
    }
    uint64_t release_ns = ff_resume_next_release_ns(readings, state);
    state->schedule = (struct ff_resume_schedule){release_ns, 0, state->rtt.latest_ns}; /* [careful-resume.pacing.current-rtt] */
}

static bool is_full(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                    const struct ff_newreno *base)
{
    if (readings->window_full == FF_CAREFUL_RESUME_WINDOW_FULL_DATAGRAM) {
        return base->cwnd_bytes < state->flight_bytes + base->max_datagram_size_bytes;
    }
    return readings->window_full == FF_CAREFUL_RESUME_WINDOW_FULL_EXACT && base->cwnd_bytes <= state->flight_bytes;
}

void ff_resume_on_sent(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                       const struct ff_event *event, uint64_t before, struct ff_resume_step *step)
{
    const struct ff_sent *sent = &event->sent;
    enum ff_trigger trigger = FF_TRIGGER_NONE;

    if (state->marks.first_unvalidated == FF_NO_PACKET) {
        state->marks.first_unvalidated = sent->packets[0].first; /* [careful-resume.marks.first] */
        if (readings->first_mark == FF_CAREFUL_RESUME_FIRST_MARK_LAST_BEFORE && before != FF_NO_PACKET) {
            state->marks.first_unvalidated = before;
        }
    }
    state->marks.last_unvalidated = sent->packets[sent->run_count - 1].last; /* [careful-resume.marks.last] */
    pace_sent(readings, state, step->base.max_datagram_size_bytes, event);
    state->unvalidated_left_bytes = ff_resume_saturated(state->unvalidated_left_bytes, sent->bytes);
    if (state->limit_from_ns == FF_NONE) {
        state->limit_from_ns = event->t_ns;
    }
    if (is_full(readings, state, &step->base)) {
        trigger = FF_TRIGGER_LAST_UNVALIDATED_PACKET_SENT; /* [careful-resume.unvalidated.window-full] */
    }
    step->outcome = FF_OUTCOME_SENT;
    ff_resume_leave_if(readings, state, event, trigger, step);
}

static uint64_t limit_ns(const struct ff_careful_resume_readings *readings, const struct ff_resume_rtt *rtt)
{
    switch (readings->limit_rtt) {
    case FF_CAREFUL_RESUME_LIMIT_RTT_LATEST:
        return rtt->latest_ns;
    case FF_CAREFUL_RESUME_LIMIT_RTT_SMOOTHED:
        return rtt->smoothed_ns;
    case FF_CAREFUL_RESUME_LIMIT_RTT_MINIMUM:
        return rtt->minimum_ns;
    default:
        return FF_NO_RTT_NS;
    }
}

static bool time_is_over(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                         const struct ff_event *event)
{
    uint64_t limit = limit_ns(readings, &state->rtt);
    bool unwatched = readings->limit_checked == FF_CAREFUL_RESUME_LIMIT_CHECKED_ACKS && event->kind != FF_EVENT_ACK;

    if (limit == FF_NO_RTT_NS || state->limit_from_ns == FF_NONE || unwatched) {
        return false;
    }
    uint64_t spent_ns = event->t_ns - state->limit_from_ns;
    if (spent_ns == limit) {
        return readings->limit_equal == FF_CAREFUL_RESUME_LIMIT_EQUAL_EXITS;
    }
    return spent_ns > limit;
}

/* Go on to the Validating phase, or end Careful Resume if the jump was not used. */
static void leave(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                  const struct ff_event *event, enum ff_trigger trigger, struct ff_resume_step *step)
{
    uint64_t flight_bytes = state->flight_bytes;
    bool both = readings->flight_check == FF_CAREFUL_RESUME_FLIGHT_CHECK_BOTH;
    bool checked = readings->flight_check != FF_CAREFUL_RESUME_FLIGHT_CHECK_NONE;

    if (readings->flight_at_check == FF_CAREFUL_RESUME_FLIGHT_AT_CHECK_GROSS && event->kind == FF_EVENT_ACK) {
        flight_bytes = ff_resume_saturated(flight_bytes, event->ack.bytes);
    }
    if ((checked && flight_bytes <= state->pipesize_bytes) || (both && flight_bytes < state->initial_window_bytes)) {
        uint64_t floor_bytes = both ? state->initial_window_bytes : 0; /* [careful-resume.unvalidated.rate-limited] */

        step->base.cwnd_bytes = state->pipesize_bytes > floor_bytes ? state->pipesize_bytes : floor_bytes;
        step->outcome = FF_OUTCOME_RATE_LIMITED;
        step->trigger = FF_TRIGGER_RATE_LIMITED;
        ff_resume_end(state);
        return;
    }
    step->base.cwnd_bytes = flight_bytes; /* [careful-resume.validating.begin] */
    step->outcome = FF_OUTCOME_VALIDATION_BEGUN;
    step->trigger = trigger;
    if (readings->last_mark == FF_CAREFUL_RESUME_LAST_MARK_NEXT_PACKET) {
        state->marks.last_unvalidated = state->marks.sent == FF_NO_PACKET ? 1 : state->marks.sent + 1;
    } else if (state->marks.last_unvalidated == FF_NO_PACKET) {
        state->marks.last_unvalidated = state->marks.sent; /* only where PipeSize starts below the flight */
    }
    state->phase = FF_PHASE_VALIDATING;
}

void ff_resume_leave_if(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                        const struct ff_event *event, enum ff_trigger trigger, struct ff_resume_step *step)
{
    if (time_is_over(readings, state, event)) {
        trigger = trigger != FF_TRIGGER_NONE ? trigger : FF_TRIGGER_RTT_EXCEEDED; /* [careful-resume.unvalidated.one-rtt] */
    }
    if (trigger != FF_TRIGGER_NONE) {
        leave(readings, state, event, trigger, step);
    }
}
