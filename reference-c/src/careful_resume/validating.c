/* What ends the Unvalidated phase, and the Validating phase. Mirrors reference-py/src/firstflight/careful_resume_validation.py. */
#include "firstflight/careful_resume/phases.h"
#include "firstflight/careful_resume/unvalidated.h"

static void take_normal(const struct ff_resume_normal *normal, struct ff_resume_step *step)
{
    step->base = normal->base;
    step->outcome = normal->outcome;
}

static void on_lost(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                    const struct ff_event *event, struct ff_resume_step *step)
{
    (void)ff_resume_take_unvalidated(state, event->lost.packets, event->lost.run_count);
    ff_resume_retreat(readings, state, event->t_ns, FF_TRIGGER_PACKET_LOSS, step);
}

static void on_persistent(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                          const struct ff_event *event, const struct ff_resume_normal *normal,
                          struct ff_resume_step *step)
{
    if (readings->persistent == FF_CAREFUL_RESUME_PERSISTENT_STOPS) {
        ff_resume_stop(readings, state, normal, step);
        return;
    }
    ff_resume_retreat(readings, state, event->t_ns, FF_TRIGGER_PACKET_LOSS, step);
}

static void on_ack_unvalidated(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                               const struct ff_event *event, const struct ff_resume_normal *normal,
                               struct ff_resume_step *step)
{
    uint64_t latest_ns = event->ack.latest_rtt_ns;
    enum ff_trigger trigger = FF_TRIGGER_NONE;

    ff_resume_acknowledge(readings, state, &event->ack); /* [careful-resume.unvalidated.pipesize] */
    if (ff_resume_rtt_too_low(readings, latest_ns, &state->used) || ff_resume_rtt_too_high(readings, latest_ns, &state->used)) {
        trigger = FF_TRIGGER_PATH_CHANGED; /* [careful-resume.unvalidated.rtt-change] */
        ff_resume_retreat(readings, state, event->t_ns, trigger, step);
        return;
    }
    ff_resume_pace_rtt(readings, state);
    step->outcome = FF_OUTCOME_WINDOW_KEPT; /* [careful-resume.unvalidated.no-growth] */
    if (readings->growth_unvalidated == FF_CAREFUL_RESUME_GROWTH_UNVALIDATED_BASE) {
        take_normal(normal, step);
    }
    if (ff_resume_reached(state->marks.acked, state->marks.first_unvalidated)) {
        trigger = FF_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED; /* [careful-resume.unvalidated.first-acknowledged] */
    }
    ff_resume_leave_if(readings, state, event, trigger, step);
}

void ff_resume_on_unvalidated(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                              const struct ff_event *event, const struct ff_resume_normal *normal,
                              struct ff_resume_step *step)
{
    enum ff_trigger trigger;

    switch (event->kind) {
    case FF_EVENT_ACK:
        on_ack_unvalidated(readings, state, event, normal, step);
        return;
    case FF_EVENT_LOST:
        on_lost(readings, state, event, step); /* [careful-resume.unvalidated.loss] */
        return;
    case FF_EVENT_CE:
        if (readings->ce == FF_CAREFUL_RESUME_CE_BASE) {
            take_normal(normal, step);
            return;
        }
        trigger = FF_TRIGGER_ECN_CE; /* [careful-resume.unvalidated.ce] */
        ff_resume_retreat(readings, state, event->t_ns, trigger, step);
        return;
    case FF_EVENT_PATH_CHANGE:
        trigger = FF_TRIGGER_PATH_CHANGED; /* [careful-resume.unvalidated.path] */
        ff_resume_retreat(readings, state, event->t_ns, trigger, step);
        return;
    case FF_EVENT_PERSISTENT_CONGESTION:
        on_persistent(readings, state, event, normal, step);
        return;
    default:
        step->outcome = normal->outcome;
        ff_resume_leave_if(readings, state, event, FF_TRIGGER_NONE, step);
        return;
    }
}

static void on_ack_validating(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                              const struct ff_event *event, const struct ff_resume_normal *normal,
                              struct ff_resume_step *step)
{
    ff_resume_acknowledge(readings, state, &event->ack); /* [careful-resume.validating.pipesize] */
    take_normal(normal, step); /* [careful-resume.validating.growth] */
    if (ff_resume_reached(state->marks.acked, state->marks.last_unvalidated)) {
        ff_resume_end(state); /* [careful-resume.validating.end] */
        step->outcome = FF_OUTCOME_VALIDATED;
        step->trigger = FF_TRIGGER_LAST_UNVALIDATED_PACKET_ACKNOWLEDGED;
    }
}

void ff_resume_on_validating(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                             const struct ff_event *event, const struct ff_resume_normal *normal,
                             struct ff_resume_step *step)
{
    enum ff_trigger trigger;

    switch (event->kind) {
    case FF_EVENT_ACK:
        on_ack_validating(readings, state, event, normal, step);
        return;
    case FF_EVENT_LOST:
        on_lost(readings, state, event, step); /* [careful-resume.validating.loss] */
        return;
    case FF_EVENT_CE:
        if (readings->ce == FF_CAREFUL_RESUME_CE_BASE) {
            break;
        }
        trigger = FF_TRIGGER_ECN_CE; /* [careful-resume.validating.ce] */
        ff_resume_retreat(readings, state, event->t_ns, trigger, step);
        return;
    case FF_EVENT_PATH_CHANGE:
        if (readings->path_validating == FF_CAREFUL_RESUME_PATH_VALIDATING_IGNORED) {
            break;
        }
        ff_resume_retreat(readings, state, event->t_ns, FF_TRIGGER_PATH_CHANGED, step);
        return;
    case FF_EVENT_PERSISTENT_CONGESTION:
        on_persistent(readings, state, event, normal, step);
        return;
    default:
        break;
    }
    take_normal(normal, step);
}
