/* How SEARCH leaves slow start (spec/search/rules.md, section Exit). */
#ifndef FIRSTFLIGHT_SEARCH_EXIT_H
#define FIRSTFLIGHT_SEARCH_EXIT_H

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/search/bins.h"
#include "firstflight/search/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The least target of the drain in datagrams. */
#define FF_SEARCH_DRAIN_MINIMUM_PACKETS 10
/* While draining one packet leaves for each three acknowledged. */
#define FF_SEARCH_DRAIN_PACKETS 3

/* Leave slow start with an ACK, unless the flight is drained instead. */
void ff_search_leave(const struct ff_search_readings *readings, const struct ff_search *state, struct ff_base_state *base,
                     const struct ff_ack *ack);

/* Drain the flight from now on to what one initial RTT delivered. */
void ff_search_begin_drain(const struct ff_search_readings *readings, struct ff_search *state,
                           const struct ff_base_state *base);

/* Process an ACK while draining: one packet leaves for three acknowledged, until the window is at the target. */
enum ff_outcome ff_search_drain(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                                const struct ff_ack *ack);

#ifdef __cplusplus
}
#endif

#endif
