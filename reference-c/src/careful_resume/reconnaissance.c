/* Reconnaissance. Mirrors reference-py/src/firstflight/careful_resume_recon.py. */
#include "firstflight/careful_resume/phases.h"
#include "firstflight/careful_resume/saved.h"
#include "firstflight/careful_resume/unvalidated.h"

/* Count what an ACK covers of the initial data, which ends with the first ACK of some of it. */
static void count_initial(struct ff_careful_resume *state, const struct ff_ack *ack)
{
    struct ff_resume_initial *initial = &state->initial;
    uint64_t covered_bytes = 0;

    initial->acked_bytes = ff_resume_saturated(initial->acked_bytes, ack->bytes);
    if (initial->last == FF_NO_PACKET && ack->packets[ack->run_count - 1].last >= initial->first) {
        initial->last = state->marks.sent; /* [careful-resume.reconnaissance.initial-data] */
    }
    if (initial->last != FF_NO_PACKET) {
        covered_bytes = ff_resume_bytes_between(ack->packets, ack->run_count, initial->first, initial->last);
    }
    initial->left_bytes -= covered_bytes < initial->left_bytes ? covered_bytes : initial->left_bytes;
}

static void not_validated(struct ff_careful_resume *state, struct ff_resume_step *step)
{
    ff_resume_end(state);
    step->outcome = FF_OUTCOME_RTT_NOT_VALIDATED;
    step->trigger = FF_TRIGGER_RTT_NOT_VALIDATED;
}

/* The RTTs that are compared with the lower and with the upper bound. */
static void measured_rtts(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state,
                          uint64_t *low_ns, uint64_t *high_ns)
{
    *low_ns = *high_ns = state->rtt.latest_ns;
    if (readings->rtt_measured == FF_CAREFUL_RESUME_RTT_MEASURED_FIRST) {
        *low_ns = *high_ns = state->rtt.phase_first_ns;
    } else if (readings->rtt_measured == FF_CAREFUL_RESUME_RTT_MEASURED_MINIMUM) {
        *low_ns = state->rtt.phase_minimum_ns;
    } else if (readings->rtt_measured == FF_CAREFUL_RESUME_RTT_MEASURED_SMOOTHED) {
        *low_ns = *high_ns = state->rtt.smoothed_ns;
    }
}

static bool is_confirmed(const struct ff_careful_resume_readings *readings, const struct ff_careful_resume *state)
{
    if (state->rtt.phase_minimum_ns == FF_NO_RTT_NS) {
        return false; /* [careful-resume.reconnaissance.sample] */
    }
    if (readings->initial_data == FF_CAREFUL_RESUME_INITIAL_DATA_ALL) {
        return state->initial.last != FF_NO_PACKET && state->initial.left_bytes == 0;
    }
    return readings->initial_data != FF_CAREFUL_RESUME_INITIAL_DATA_WINDOW ||
           state->initial.acked_bytes >= state->initial_window_bytes;
}

static void jump_if_due(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                        uint64_t now_ns, struct ff_resume_step *step)
{
    uint64_t window_bytes = step->base.cwnd_bytes;
    uint64_t room_bytes = window_bytes > state->flight_bytes ? window_bytes - state->flight_bytes : 0;
    bool limited =
        state->backlog_bytes > room_bytes || readings->jump_when == FF_CAREFUL_RESUME_JUMP_WHEN_CONFIRMED;

    if (!(is_confirmed(readings, state) && limited)) {
        return; /* [careful-resume.reconnaissance.wait] */
    }
    if (step->base.ssthresh_bytes != FF_SSTHRESH_INFINITE) {
        bool barred = readings->threshold_set == FF_CAREFUL_RESUME_THRESHOLD_SET_STOPS; /* [careful-resume.reconnaissance.hints] */
        if (barred) {
            ff_resume_end(state);
            step->outcome = FF_OUTCOME_THRESHOLD_SET;
            return;
        }
    }
    ff_resume_enter(readings, state, now_ns, step); /* [careful-resume.reconnaissance.confirmed] */
}

static void on_ack(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                   const struct ff_event *event, struct ff_resume_step *step)
{
    uint64_t low_ns, high_ns;

    count_initial(state, &event->ack);
    if (event->ack.latest_rtt_ns != FF_NO_RTT_NS) {
        measured_rtts(readings, state, &low_ns, &high_ns);
        if (ff_resume_rtt_too_low(readings, low_ns, &state->used)) {
            not_validated(state, step); /* [careful-resume.reconnaissance.rtt] */
            return;
        }
        if (ff_resume_rtt_too_high(readings, high_ns, &state->used)) {
            not_validated(state, step); /* [careful-resume.reconnaissance.rtt-high] */
            return;
        }
    }
    jump_if_due(readings, state, event->t_ns, step);
}

void ff_resume_on_reconnaissance(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                 const struct ff_event *event, const struct ff_resume_normal *normal,
                                 struct ff_resume_step *step)
{
    step->base = normal->base;
    step->outcome = normal->outcome;
    if (readings->lifetime == FF_CAREFUL_RESUME_LIFETIME_UNTIL_JUMP && ff_resume_expired(&state->used, event->t_ns)) {
        ff_resume_end(state);
        state->saved = (struct ff_saved_set){0, 0, false}; /* [careful-resume.reconnaissance.lifetime] */
        step->outcome = FF_OUTCOME_LIFETIME_EXCEEDED;
        return;
    }
    switch (event->kind) {
    case FF_EVENT_SENT:
        if (state->initial.last == FF_NO_PACKET) {
            state->initial.left_bytes = ff_resume_saturated(state->initial.left_bytes, event->sent.bytes);
        }
        return; /* [careful-resume.reconnaissance.unchanged] */
    case FF_EVENT_ACK:
        on_ack(readings, state, event, step);
        return;
    case FF_EVENT_LOST:
    case FF_EVENT_CE:
        ff_resume_end(state); /* [careful-resume.reconnaissance.congestion] */
        step->trigger = event->kind == FF_EVENT_LOST ? FF_TRIGGER_PACKET_LOSS : FF_TRIGGER_ECN_CE;
        return;
    case FF_EVENT_PATH_CHANGE:
        ff_resume_end(state); /* [careful-resume.reconnaissance.path] */
        step->outcome = FF_OUTCOME_PATH_CHANGED;
        return;
    case FF_EVENT_PERSISTENT_CONGESTION:
        ff_resume_stop(readings, state, normal, step);
        return;
    case FF_EVENT_BACKLOG:
        jump_if_due(readings, state, event->t_ns, step);
        return;
    default:
        return;
    }
}
