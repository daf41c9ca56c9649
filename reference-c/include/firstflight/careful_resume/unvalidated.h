/* The jump, the Unvalidated phase and its pacing (spec/careful-resume.md). */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_UNVALIDATED_H
#define FIRSTFLIGHT_CAREFUL_RESUME_UNVALIDATED_H

#include "firstflight/careful_resume/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Jump, unless that would not enlarge the window. `step` holds the base controller, and what is reported afterwards. */
void ff_resume_enter(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state, uint64_t now_ns,
                     struct ff_resume_step *step);

/* Return the earliest time for the next packet, FF_NONE outside the Unvalidated phase. */
uint64_t ff_resume_next_release_ns(const struct ff_careful_resume_readings *readings,
                                   const struct ff_careful_resume *state);

/* Let packets after the next one follow each other by the current RTT. */
void ff_resume_pace_rtt(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state);

/* Mark packets sent, and leave the phase if the window is full. `before`: the highest packet sent until now. */
void ff_resume_on_sent(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                       const struct ff_event *event, uint64_t before, struct ff_resume_step *step);

/* Leave the phase if the trigger is not FF_TRIGGER_NONE, or the time of the phase is over. */
void ff_resume_leave_if(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                        const struct ff_event *event, enum ff_trigger trigger, struct ff_resume_step *step);

#ifdef __cplusplus
}
#endif

#endif
