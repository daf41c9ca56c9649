/*
 * Limited Slow-Start (spec/limited-slow-start/rules.md) on top of the base controller, in every profile of limited_slow_start/profiles.h.
 *
 * The functions do not check their arguments: ff_event_check accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_LIMITED_SLOW_START_H
#define FIRSTFLIGHT_LIMITED_SLOW_START_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/limited_slow_start/profiles.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_limited_slow_start {
    uint64_t credit_bytes; /* credit of ACKs since the last growth by a datagram, in the reading remainder */
};

/* Initialise the state before the first event. */
void ff_limited_slow_start_begin(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                                 const struct ff_base_state *base);

/* Process one event with Limited Slow-Start in these readings. */
void ff_limited_slow_start_step(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                                struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
