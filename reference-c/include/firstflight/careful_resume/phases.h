/*
 * What each phase of Careful Resume does on an event (spec/careful-resume.md).
 *
 * `step` comes with the base controller as it was before the event; `normal` is what normal congestion control makes of the event, and
 * `outcome` how it calls that. Each function leaves in `step` what counts.
 */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_PHASES_H
#define FIRSTFLIGHT_CAREFUL_RESUME_PHASES_H

#include "firstflight/careful_resume/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What normal congestion control makes of an event. */
struct ff_resume_normal {
    struct ff_newreno base;
    enum ff_outcome outcome;
};

/* Process an event in Reconnaissance. */
void ff_resume_on_reconnaissance(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                 const struct ff_event *event, const struct ff_resume_normal *normal,
                                 struct ff_resume_step *step);

/* Process any event but packets sent in the Unvalidated phase. */
void ff_resume_on_unvalidated(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                              const struct ff_event *event, const struct ff_resume_normal *normal,
                              struct ff_resume_step *step);

/* Process an event in the Validating phase. */
void ff_resume_on_validating(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                             const struct ff_event *event, const struct ff_resume_normal *normal,
                             struct ff_resume_step *step);

/* Begin Safe Retreat. */
void ff_resume_retreat(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state, uint64_t now_ns,
                       enum ff_trigger trigger, struct ff_resume_step *step);

/* Process an event in Safe Retreat. */
void ff_resume_on_retreat(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                          const struct ff_event *event, const struct ff_resume_normal *normal,
                          struct ff_resume_step *step);

/* End Careful Resume at persistent congestion, to which normal congestion control reacts. */
void ff_resume_stop(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                    const struct ff_resume_normal *normal, struct ff_resume_step *step);

#ifdef __cplusplus
}
#endif

#endif
