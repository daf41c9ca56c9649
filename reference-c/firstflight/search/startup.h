/*
 * SEARCH on top of the base controller: the order of the two on each event, and the growth of the window. The
 * functions do not check their arguments (see search.h).
 */
#ifndef FIRSTFLIGHT_SEARCH_STARTUP_H
#define FIRSTFLIGHT_SEARCH_STARTUP_H

#include "firstflight/events.h"
#include "firstflight/limits.h"
#include "firstflight/observables.h"
#include "firstflight/search/search.h"
#include "firstflight/search/profiles.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill in the state before the first ACK. */
void ff_search_begin(const struct ff_search_readings *readings, struct ff_search *state);

/*
 * Process one event with SEARCH and the given readings. Return FF_ERR_DOMAIN if a bin or a counter is full.
 */
enum ff_status ff_search_startup_step(const struct ff_search_readings *readings, struct ff_search *state,
                                      struct ff_base_state *base, const struct ff_event *event,
                                      struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
