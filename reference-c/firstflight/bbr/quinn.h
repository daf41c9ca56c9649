/*
 * BBR as quinn-proto has it: Chromium's of 2016, with its ProbeRTT (spec/bbr/rules.md, section quinn). The base holds the window alone.
 */
#ifndef FIRSTFLIGHT_BBR_QUINN_H
#define FIRSTFLIGHT_BBR_QUINN_H

#include "firstflight/bbr/quinn_state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fill in the state before the first event. */
void ff_bbr_quinn_begin(struct ff_bbr_quinn *state, const struct ff_newreno *base);

/* Process one event. Without an observation nothing is reported. */
void ff_bbr_quinn_step(struct ff_bbr_quinn *state, struct ff_newreno *base, const struct ff_event *event,
                       struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
