/*
 * TCB sharing (spec/tcb-sharing/rules.md): a connection begins with what an earlier one left, in every profile of tcb_sharing/profiles.h.
 *
 * What a close would leave in the cache is in tcb_sharing/cache.h. The functions trust their arguments: events are such as
 * ff_event_check accepts, and times do not decrease.
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

/* Stateful-TCP: the initial window, what must be in flight at an ACK to end the startup, and how many ACKs may fail to, in its code. */
#define FF_TCB_SHARING_INITIAL_DATAGRAMS 10
#define FF_TCB_SHARING_ENDING_DATAGRAMS 5
#define FF_TCB_SHARING_ENDING_ACKS 11

/* Fill in the state before the first event. */
void ff_tcb_sharing_begin(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state,
                          const struct ff_base_state *base);

/* Process one event with TCB sharing in the given readings. */
void ff_tcb_sharing_step(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
