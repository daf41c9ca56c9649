/*
 * Rapid Start (spec/rapid-start/rules.md) on top of the base controller, in every profile of rapid_start/profiles.h: the flow of an event.
 *
 * rapid_start/rtt.h detects a queue, rapid_start/recovery.h contains the first recovery. The functions do not check
 * their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_RAPID_START_H
#define FIRSTFLIGHT_RAPID_START_H

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/rapid_start/profiles.h"
#include "firstflight/rapid_start/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Initialise the state before the first event. */
void ff_rapid_start_begin(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                          const struct ff_base_state *base);

/* Process one event with Rapid Start in these readings. */
void ff_rapid_start_step(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
