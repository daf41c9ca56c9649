/*
 * What each phase of Careful Resume does on an event (spec/careful-resume/rules.md).
 *
 * `base` comes as it was before the event; `normal` is what normal congestion control makes of the event. Each function leaves in `base`
 * what counts.
 */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_PHASES_H
#define FIRSTFLIGHT_CAREFUL_RESUME_PHASES_H

#include "firstflight/careful_resume/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Process an event in Reconnaissance, where normal congestion control goes on until the jump. */
struct ff_careful_resume_report ff_careful_resume_on_reconnaissance(const struct ff_careful_resume_readings *readings,
                                                                    struct ff_careful_resume *state,
                                                                    struct ff_base_state *base, const struct ff_event *event,
                                                                    const struct ff_careful_resume_normal *normal);

/* Jump, unless that would not enlarge the window. */
struct ff_careful_resume_report ff_careful_resume_enter(const struct ff_careful_resume_readings *readings,
                                                        struct ff_careful_resume *state, struct ff_base_state *base,
                                                        uint64_t now_ns);

/* Mark the packets sent in the Unvalidated phase, and leave it if the window is full. */
struct ff_careful_resume_report ff_careful_resume_on_sent(const struct ff_careful_resume_readings *readings,
                                                          struct ff_careful_resume *state, struct ff_base_state *base,
                                                          const struct ff_event *event);

/* Process any event but packets sent in the Unvalidated phase. */
struct ff_careful_resume_report ff_careful_resume_on_unvalidated(const struct ff_careful_resume_readings *readings,
                                                                 struct ff_careful_resume *state, struct ff_base_state *base,
                                                                 const struct ff_event *event,
                                                                 const struct ff_careful_resume_normal *normal);

/* Process an event in the Validating phase. */
struct ff_careful_resume_report ff_careful_resume_on_validating(const struct ff_careful_resume_readings *readings,
                                                                struct ff_careful_resume *state, struct ff_base_state *base,
                                                                const struct ff_event *event,
                                                                const struct ff_careful_resume_normal *normal);

/* Begin Safe Retreat. */
struct ff_careful_resume_report ff_careful_resume_retreat(const struct ff_careful_resume_readings *readings,
                                                          struct ff_careful_resume *state, struct ff_base_state *base,
                                                          uint64_t now_ns, enum ff_trigger trigger);

/* End Careful Resume at persistent congestion, to which normal congestion control reacts. */
struct ff_careful_resume_report ff_careful_resume_stop(struct ff_careful_resume *state, struct ff_base_state *base,
                                                       const struct ff_careful_resume_normal *normal);

/* Process a loss after the jump: Safe Retreat begins. */
struct ff_careful_resume_report ff_careful_resume_retreat_on_lost(const struct ff_careful_resume_readings *readings,
                                                                  struct ff_careful_resume *state, struct ff_base_state *base,
                                                                  const struct ff_event *event);

/* Process an event in Safe Retreat. */
struct ff_careful_resume_report ff_careful_resume_on_retreat(const struct ff_careful_resume_readings *readings,
                                                             struct ff_careful_resume *state, struct ff_base_state *base,
                                                             const struct ff_event *event,
                                                             const struct ff_careful_resume_normal *normal);

#ifdef __cplusplus
}
#endif

#endif
