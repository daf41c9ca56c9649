/*
 * TCB sharing (spec/tcb-sharing/rules.md), in every profile of tcb_sharing/profiles.h: a connection begins with cached
 * values of an earlier connection.
 *
 * tcb_sharing/cache.h computes the cache after a close. The functions do not check their arguments: ff_event_check
 * accepts the events, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_TCB_SHARING_H
#define FIRSTFLIGHT_TCB_SHARING_H

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/tcb_sharing/cache.h"
#include "firstflight/tcb_sharing/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stateful-TCP, from its code: the initial window. An ACK that leaves more than ENDING_DATAGRAMS in flight ends the
 * startup; so does the first ACK after ENDING_ACKS others. */
#define FF_TCB_SHARING_INITIAL_DATAGRAMS 10
#define FF_TCB_SHARING_ENDING_DATAGRAMS 5
#define FF_TCB_SHARING_ENDING_ACKS 11

/* Initialise the state before the first event. */
void ff_tcb_sharing_begin(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state,
                          const struct ff_base_state *base);

/* Process one event with TCB sharing in these readings. */
void ff_tcb_sharing_step(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
