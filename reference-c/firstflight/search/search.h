/*
 * Event processing of SEARCH (spec/search/rules.md).
 *
 * The bins are in bins.h, their comparison in windows.h, the exit in exit.h, the layout of the state in layout.h. The
 * functions do not check their arguments: ff_event_check accepts the events, times never decrease, and the series has
 * room for the bytes of an ACK.
 */
#ifndef FIRSTFLIGHT_SEARCH_H
#define FIRSTFLIGHT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/limits.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/search/bins.h"
#include "firstflight/search/layout.h"
#include "firstflight/search/profiles.h"
#include "firstflight/search/windows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Process packets being sent. Return FF_ERR_DOMAIN if the bytes would exceed the limit of the bin or of the counter. */
enum ff_status ff_search_on_sent(const struct ff_search_readings *readings, struct ff_search *state, uint64_t sent_bytes,
                                 bool slow_start);

/* Process an ACK outside slow start: store its RTT sample and, if the readings count in every phase, its bytes. */
void ff_search_on_ack_elsewhere(const struct ff_search_readings *readings, struct ff_search *state,
                                const struct ff_ack *ack);

/* Process persistent congestion, which leads back to slow start. */
void ff_search_on_persistent_congestion(const struct ff_search_readings *readings, struct ff_search *state);

/* Process the end of an idle period that invalidated the window. */
void ff_search_on_idle_restart(const struct ff_search_readings *readings, struct ff_search *state);

/*
 * Process an ACK that arrived at t_ns in slow start, before the base controller. Store the values of an evaluation in
 * `evaluation`.
 */
enum ff_outcome ff_search_on_ack(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                                 uint64_t t_ns, const struct ff_ack *ack, struct ff_search_evaluation *evaluation);

#ifdef __cplusplus
}
#endif

#endif
