/* BBR of picoquic: the steps of its bbr.c, in their order (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_PICOQUIC_H
#define FIRSTFLIGHT_BBR_PICOQUIC_H

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* PICOQUIC_INITIAL_RTT. */
#define FF_BBR_PICOQUIC_INITIAL_RTT_NS UINT64_C(250000000)
/* More than so many datagrams must be lost. */
#define FF_BBR_PICOQUIC_LOST_DATAGRAMS UINT64_C(3)
/* BBRRTTJitterBufferLen: more ACKs with RTTs that are too long end Startup. */
#define FF_BBR_PICOQUIC_EXCESS_ACKS UINT64_C(7)

/* Process one event. */
enum ff_outcome ff_bbr_picoquic_on_event(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                         struct ff_newreno *base, const struct ff_event *event);

#ifdef __cplusplus
}
#endif

#endif
