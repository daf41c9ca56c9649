/* The Validating phase. Mirrors reference-py/src/firstflight/careful_resume/validating.py. */
#include "firstflight/careful_resume/phases.h"

static struct ff_careful_resume_report on_ack(const struct ff_careful_resume_readings *readings,
                                              struct ff_careful_resume *state, struct ff_base_state *base,
                                              const struct ff_ack *ack, const struct ff_careful_resume_normal *normal)
{
    ff_careful_resume_acknowledge(readings, state, ack); /* [careful-resume.validating.pipesize] */
    struct ff_careful_resume_report report = ff_careful_resume_take_normal(base, normal); /* [careful-resume.validating.growth] */
    if (!ff_careful_resume_reached(state->marks.acked, state->marks.last_unvalidated)) {
        return report;
    }
    ff_careful_resume_end(state); /* [careful-resume.validating.end] */
    return (struct ff_careful_resume_report){FF_OUTCOME_VALIDATED, FF_TRIGGER_LAST_UNVALIDATED_PACKET_ACKNOWLEDGED};
}

struct ff_careful_resume_report ff_careful_resume_on_validating(const struct ff_careful_resume_readings *readings,
                                                                struct ff_careful_resume *state, struct ff_base_state *base,
                                                                const struct ff_event *event,
                                                                const struct ff_careful_resume_normal *normal)
{
    enum ff_trigger trigger;

    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, &event->ack, normal);
    case FF_EVENT_LOST:
        if (event->lost.pmtu_probe) {
            (void)ff_careful_resume_take_unvalidated(state, event->lost.packets, event->lost.run_count);
            return ff_careful_resume_take_normal(base, normal); /* [careful-resume.pmtu-probe] */
        }
        return ff_careful_resume_retreat_on_lost(readings, state, base, event); /* [careful-resume.validating.loss] */
    case FF_EVENT_CE:
        trigger = FF_TRIGGER_ECN_CE; /* [careful-resume.validating.ce] */
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, trigger);
    case FF_EVENT_PATH_CHANGE:
        if (readings->path_validating == FF_CAREFUL_RESUME_PATH_VALIDATING_IGNORED) {
            return ff_careful_resume_take_normal(base, normal);
        }
        return ff_careful_resume_retreat(readings, state, base, event->t_ns, FF_TRIGGER_PATH_CHANGED);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_careful_resume_stop(state, base, normal);
    default:
        return ff_careful_resume_take_normal(base, normal);
    }
}
