/* Saved sets: accept a set for use, and measure values to save (spec/careful-resume/rules.md). */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_SAVED_H
#define FIRSTFLIGHT_CAREFUL_RESUME_SAVED_H

#include "firstflight/careful_resume/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return whether the time is past the end of the Lifetime of a saved set. */
bool ff_careful_resume_expired(const struct ff_saved_path *offer, uint64_t now_ns);

/* Accept a saved set for use; return the outcome, or the reason for refusing it. */
enum ff_outcome ff_careful_resume_on_saved_path(struct ff_careful_resume *state, uint64_t t_ns,
                                                const struct ff_saved_path *offer);

/*
 * Measure the capacity in bytes, once per round trip, while only normal congestion control acts. `base`: the base
 * controller, which has already processed the ACK.
 */
void ff_careful_resume_measure(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                               const struct ff_base_state *base, const struct ff_ack *ack);

#ifdef __cplusplus
}
#endif

#endif
