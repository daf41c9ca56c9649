/*
 * SUSS (spec/suss/rules.md) on top of the base controller, in every profile of suss/profiles.h: the flow of an event.
 *
 * Rounds, trains and the plan of a round are in suss/rounds.h, the pacing in suss/state.h. The functions do not check
 * their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_SUSS_H
#define FIRSTFLIGHT_SUSS_H

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/suss/profiles.h"
#include "firstflight/suss/rounds.h"
#include "firstflight/suss/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Growth of the window, in packets, when a sent packet fills it. */
#define FF_SUSS_OPENED_PACKETS UINT64_C(2)
/* A timeout with a window of fewer packets disables SUSS. */
#define FF_SUSS_TIMEOUT_PACKETS UINT64_C(40)
/* A longer gap between ACKs ends their train. Half of this time is added to the minimum RTT. */
#define FF_SUSS_TRAIN_GAP_US UINT64_C(2000)

/* Initialise the state before the first event. */
void ff_suss_begin(const struct ff_suss_readings *readings, struct ff_suss *state, const struct ff_base_state *base);

/* Process one event with SUSS in these readings. */
void ff_suss_step(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                  const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
