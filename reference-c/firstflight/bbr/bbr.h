/*
 * Event processing of BBR's Startup and Drain (spec/bbr/rules.md), for all profiles of bbr/profiles.h.
 *
 * The sample is in bbr/sample.h, the path model in bbr/model.h and bbr/aggregation.h, the end of Startup and Drain in
 * bbr/startup.h. The control parameters are in bbr/control.h, and the response to losses is in bbr/recovery.h. The base
 * contains the window and the recovery period; its rules and its threshold are not used. The functions do not check
 * their arguments: ff_event_check accepts the events, and times never decrease.
 */
#ifndef FIRSTFLIGHT_BBR_H
#define FIRSTFLIGHT_BBR_H

#include "firstflight/bbr/aggregation.h"
#include "firstflight/bbr/control.h"
#include "firstflight/bbr/model.h"
#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/recovery.h"
#include "firstflight/bbr/sample.h"
#include "firstflight/bbr/startup.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill in the state before the first event. */
void ff_bbr_begin(const struct ff_bbr_readings *readings, struct ff_bbr *state, const struct ff_base_state *base);

/* Process one event with BBR and the given readings. */
void ff_bbr_step(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                 const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
