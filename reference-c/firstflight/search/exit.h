/* The exit from slow start (spec/search/rules.md, section Exit). */
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

/* Minimum target of the drain, in datagrams. */
#define FF_SEARCH_DRAIN_MINIMUM_PACKETS 10
/* Acknowledged packets per packet that the drain releases. */
#define FF_SEARCH_DRAIN_PACKETS 3

/* Leave slow start on an ACK, for readings without a drain. */
void ff_search_leave(const struct ff_search_readings *readings, const struct ff_search *state, struct ff_base_state *base,
                     const struct ff_ack *ack);

/* Begin to drain the flight to the bytes delivered in one initial RTT. */
void ff_search_begin_drain(const struct ff_search_readings *readings, struct ff_search *state,
                           const struct ff_base_state *base);

/* Process an ACK while draining: release one packet per three acknowledged, until the window is at the target. */
enum ff_outcome ff_search_drain(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                                const struct ff_ack *ack);

#ifdef __cplusplus
}
#endif

#endif
