/*
 * SEARCH (spec/search.md), in every profile of search_profiles.h: the flow of an event.
 *
 * The bins are in search_bins.h, their comparison in search_windows.h, the exit in search_exit.h. The functions trust their
 * arguments: events are such as ff_event_check accepts, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_SEARCH_H
#define FIRSTFLIGHT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/limits.h"
#include "firstflight/search/bins.h"
#include "firstflight/search/exit.h"
#include "firstflight/search/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Process packets being sent. FF_ERR_DOMAIN if a bin or a counter cannot take them, here and below. */
enum ff_status ff_search_on_sent(const struct ff_search_readings *readings, struct ff_search *state, uint64_t sent_bytes,
                                 bool slow_start);

/* Process an ACK that arrived outside slow start: at most its bytes are counted. */
enum ff_status ff_search_on_ack_elsewhere(const struct ff_search_readings *readings, struct ff_search *state,
                                          const struct ff_ack *ack);

/* Process persistent congestion, which leads back to slow start. */
void ff_search_on_persistent_congestion(const struct ff_search_readings *readings, struct ff_search *state);

/* Process an ACK that arrived at t_ns in slow start, before the base controller does. */
enum ff_status ff_search_on_ack(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                const struct ff_ack *ack, const struct ff_search_base *base,
                                struct ff_search_decision *decision);

#ifdef __cplusplus
}
#endif

#endif
