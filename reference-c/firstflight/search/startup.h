/*
 * SEARCH on top of the base controller: which of them sees an event first, and what becomes of the window. The
 * functions trust their arguments, as those of search.h do.
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
 * Process one event with SEARCH in the given readings. FF_ERR_DOMAIN if a bin or a counter cannot take the bytes.
 */
enum ff_status ff_search_startup_step(const struct ff_search_readings *readings, struct ff_search *state,
                                      struct ff_base_state *base, const struct ff_event *event,
                                      struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
