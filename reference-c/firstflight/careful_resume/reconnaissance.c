/* Reconnaissance. Mirrors reference-py/src/firstflight/careful_resume/reconnaissance.py. */
#include "firstflight/careful_resume/phases.h"
#include "firstflight/careful_resume/saved.h"
#include "firstflight/minmax.h"

/* Count initial data covered by an ACK. The initial data ends with the first ACK of any part of it. */
static void count_initial(struct ff_careful_resume *state, const struct ff_ack *ack)
{
    struct ff_careful_resume_initial *initial = &state->initial;

    if (initial->last == FF_NO_PACKET && ack->packets[ack->run_count - 1].last >= initial->first) {
        initial->last = state->marks.sent; /* [careful-resume.reconnaissance.initial-data] */
    }
    if (initial->last != FF_NO_PACKET) {
        uint64_t covered_bytes = ff_careful_resume_bytes_between(ack->packets, ack->run_count, initial->first, initial->last);
        initial->left_bytes -= ff_min(covered_bytes, initial->left_bytes);
    }
}

/* Write the RTTs that are compared with the lower and with the upper bound. */
static void measured_rtts(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                          uint64_t *low_ns, uint64_t *high_ns)
{
    const struct ff_careful_resume_rtt *rtt = &state->rtt;

    if (readings->rtt_measured == FF_CAREFUL_RESUME_RTT_MEASURED_MINIMUM) {
        *low_ns = rtt->phase_minimum_ns;
        *high_ns = rtt->latest_ns;
    } else {
        *low_ns = *high_ns = rtt->phase_first_ns;
    }
}

/* Return whether the RTT fits the saved path. */
static bool rtt_fits(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    uint64_t low_ns;
    uint64_t high_ns;

    measured_rtts(readings, state, &low_ns, &high_ns);
    if (ff_careful_resume_rtt_too_low(readings, low_ns, &state->used)) {
        return false; /* [careful-resume.reconnaissance.rtt] */
    }
    if (ff_careful_resume_rtt_too_high(high_ns, &state->used)) {
        return false; /* [careful-resume.reconnaissance.rtt-high] */
    }
    return true;
}

static struct ff_careful_resume_report not_validated(struct ff_careful_resume *state)
{
    ff_careful_resume_end(state);
    return (struct ff_careful_resume_report){FF_OUTCOME_RTT_NOT_VALIDATED, FF_TRIGGER_RTT_NOT_VALIDATED};
}

static bool is_confirmed(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    if (state->rtt.phase_minimum_ns == FF_NO_RTT_NS) {
        return false; /* [careful-resume.reconnaissance.sample] */
    }
    if (readings->initial_data == FF_CAREFUL_RESUME_INITIAL_DATA_ALL) {
        return state->initial.last != FF_NO_PACKET && state->initial.left_bytes == 0;
    }
    return true;
}

/* Return whether the waiting data exceeds the room in the window. */
static bool is_limited(const struct ff_careful_resume *state, const struct ff_base_state *base)
{
    uint64_t room_bytes = base->cwnd_bytes - ff_min(state->flight_bytes, base->cwnd_bytes);

    return state->backlog_bytes > room_bytes;
}

static struct ff_careful_resume_report jump_if_due(const struct ff_careful_resume_readings *readings,
                                                   struct ff_careful_resume *state, struct ff_base_state *base,
                                                   uint64_t now_ns, struct ff_careful_resume_report report)
{
    if (!(is_confirmed(readings, state) && is_limited(state, base))) {
        return report; /* [careful-resume.reconnaissance.wait] */
    }
    if (base->ssthresh_bytes != FF_SSTHRESH_INFINITE) {
        bool barred = readings->threshold_set == FF_CAREFUL_RESUME_THRESHOLD_SET_STOPS; /* [careful-resume.reconnaissance.hints] */
        if (barred) {
            ff_careful_resume_end(state);
            return (struct ff_careful_resume_report){FF_OUTCOME_THRESHOLD_SET, FF_TRIGGER_NONE};
        }
    }
    return ff_careful_resume_enter(readings, state, base, now_ns); /* [careful-resume.reconnaissance.confirmed] */
}

static struct ff_careful_resume_report on_ack(const struct ff_careful_resume_readings *readings,
                                              struct ff_careful_resume *state, struct ff_base_state *base, uint64_t t_ns,
                                              const struct ff_ack *ack, struct ff_careful_resume_report report)
{
    count_initial(state, ack);
    if (ack->latest_rtt_ns != FF_NO_RTT_NS && !rtt_fits(readings, state)) {
        return not_validated(state);
    }
    return jump_if_due(readings, state, base, t_ns, report);
}

struct ff_careful_resume_report ff_careful_resume_on_reconnaissance(const struct ff_careful_resume_readings *readings,
                                                                    struct ff_careful_resume *state,
                                                                    struct ff_base_state *base,
                                                                    const struct ff_event *event,
                                                                    const struct ff_careful_resume_normal *normal)
{
    struct ff_careful_resume_report report = ff_careful_resume_take_normal(base, normal);
    enum ff_trigger trigger;

    if (ff_careful_resume_expired(&state->used, event->t_ns)) {
        ff_careful_resume_end(state);
        state->saved = (struct ff_careful_resume_saved_set){0, 0, false}; /* [careful-resume.reconnaissance.lifetime] */
        return (struct ff_careful_resume_report){FF_OUTCOME_LIFETIME_EXCEEDED, FF_TRIGGER_NONE};
    }
    switch (event->kind) {
    case FF_EVENT_SENT:
        if (state->initial.last == FF_NO_PACKET) {
            state->initial.left_bytes = ff_careful_resume_saturated(state->initial.left_bytes + event->sent.bytes);
        }
        return report; /* [careful-resume.reconnaissance.unchanged] */
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event->t_ns, &event->ack, report);
    case FF_EVENT_BACKLOG:
        return jump_if_due(readings, state, base, event->t_ns, report);
    case FF_EVENT_LOST:
    case FF_EVENT_CE:
        if (event->kind == FF_EVENT_LOST && event->lost.pmtu_probe) {
            return report; /* [careful-resume.pmtu-probe] */
        }
        ff_careful_resume_end(state); /* [careful-resume.reconnaissance.congestion] */
        trigger = event->kind == FF_EVENT_LOST ? FF_TRIGGER_PACKET_LOSS : FF_TRIGGER_ECN_CE;
        return (struct ff_careful_resume_report){normal->outcome, trigger};
    case FF_EVENT_PATH_CHANGE:
        ff_careful_resume_end(state); /* [careful-resume.reconnaissance.path] */
        return (struct ff_careful_resume_report){FF_OUTCOME_PATH_CHANGED, FF_TRIGGER_NONE};
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_careful_resume_stop(state, base, normal);
    case FF_EVENT_SAVED_PATH:
        return (struct ff_careful_resume_report){ff_careful_resume_on_saved_path(state, event->t_ns, &event->saved_path),
                                                 FF_TRIGGER_NONE};
    default:
        return report;
    }
}
