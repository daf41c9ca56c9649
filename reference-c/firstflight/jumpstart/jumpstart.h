/*
 * JumpStart (spec/jumpstart/rules.md), in every profile of jumpstart/profiles.h: the flow of an event.
 *
 * The first flight and its pacing are in jumpstart/pacing.h, loss and recovery in jumpstart/loss.h. The functions do
 * not check their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_JUMPSTART_H
#define FIRSTFLIGHT_JUMPSTART_H

#include "firstflight/events.h"
#include "firstflight/jumpstart/profiles.h"
#include "firstflight/jumpstart/state.h"
#include "firstflight/observables.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Acknowledged packets for one packet of growth in the reading `one_in_twenty`. */
#define FF_JUMPSTART_GROWTH_PACKETS 20

/* Initialise the state before the first event. */
void ff_jumpstart_begin(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                        const struct ff_base_state *base);

/* Process one event with JumpStart in these readings. */
void ff_jumpstart_step(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                       struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
