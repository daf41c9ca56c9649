/*
 * Quick-Start (spec/quick-start/rules.md), in every profile of quick_start/profiles.h: the flow of an event.
 *
 * quick_start/state.h identifies Quick-Start packets and computes their release times. The functions do not check their
 * arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_QUICK_START_H
#define FIRSTFLIGHT_QUICK_START_H

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/quick_start/profiles.h"
#include "firstflight/quick_start/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Initialise the state before the first event. */
void ff_quick_start_begin(const struct ff_quick_start_readings *readings, struct ff_quick_start *state,
                          const struct ff_base_state *base);

/* Process one event with Quick-Start in these readings. */
void ff_quick_start_step(const struct ff_quick_start_readings *readings, struct ff_quick_start *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
