/*
 * Careful Resume over the base controller, in every profile of profiles.h (spec/careful-resume/rules.md; RFC 9959).
 *
 * The result of normal congestion control for an event is computed first; the phase decides whether it counts.
 */
#ifndef FIRSTFLIGHT_CAREFUL_RESUME_H
#define FIRSTFLIGHT_CAREFUL_RESUME_H

#include "firstflight/careful_resume/state.h"
#include "firstflight/search/search.h"
#include "firstflight/search/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return the readings of SEARCH below Careful Resume, in profiles with SEARCH: its profile lanman-2024. */
const struct ff_search_readings *ff_careful_resume_search_readings(void);

/* Initialise the state of a new connection; it keeps the initial window. */
void ff_careful_resume_begin(struct ff_careful_resume *state, const struct ff_base_state *base);

/*
 * Process one event. `search` is the state of SEARCH in the profile lanman-2024, and NULL for readings without it.
 * FF_ERR_DOMAIN if SEARCH cannot store the bytes; then nothing was changed.
 */
enum ff_status ff_careful_resume_step(const struct ff_careful_resume_readings *readings, struct ff_careful_resume *state,
                                      struct ff_search *search, struct ff_base_state *base, const struct ff_event *event,
                                      struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
