/* The pacing of the Unvalidated phase (spec/careful-resume/rules.md). */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_PACING_H
#define FIRSTFLIGHT_CAREFUL_RESUME_PACING_H

#include "firstflight/careful_resume/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return the earliest time for the next packet, FF_NONE outside the Unvalidated phase. */
uint64_t ff_careful_resume_next_release_ns(const struct ff_careful_resume *state);

/* Advance the schedule by packets sent; a late sender catches up by at most an initial window. */
void ff_careful_resume_pace_sent(struct ff_careful_resume *state, const struct ff_base_state *base, uint64_t t_ns,
                                 const struct ff_sent *sent);

/* Use the current RTT to space packets after the next packet. */
void ff_careful_resume_pace_rtt(struct ff_careful_resume *state);

#ifdef __cplusplus
}
#endif

#endif
