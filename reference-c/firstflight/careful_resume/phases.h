/*
 * Event processing in each phase of Careful Resume (spec/careful-resume/rules.md).
 *
 * `base`: the base controller before the event; functions change it to the state that counts. `normal`: the result of
 * normal congestion control for the event.
 */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_PHASES_H
#define FIRSTFLIGHT_CAREFUL_RESUME_PHASES_H

#include "firstflight/careful_resume/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Process an event in Reconnaissance, with normal congestion control until the jump. */
struct ff_careful_resume_report ff_careful_resume_on_reconnaissance(const struct ff_careful_resume_readings *readings,
                                                                    struct ff_careful_resume *state,
                                                                    struct ff_base_state *base, const struct ff_event *event,
                                                                    const struct ff_careful_resume_normal *normal);

/* Jump, if that enlarges the window. */
struct ff_careful_resume_report ff_careful_resume_enter(const struct ff_careful_resume_readings *readings,
                                                        struct ff_careful_resume *state, struct ff_base_state *base,
                                                        uint64_t now_ns);

/* Mark the packets sent in the Unvalidated phase, and leave it if the window is full. */
struct ff_careful_resume_report ff_careful_resume_on_sent(const struct ff_careful_resume_readings *readings,
                                                          struct ff_careful_resume *state, struct ff_base_state *base,
                                                          const struct ff_event *event);

/* Process an event other than packets sent in the Unvalidated phase. */
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

/* End Careful Resume at persistent congestion; normal congestion control reacts to it. */
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
