/*
 * What BBR knows of the path: rounds, rates, RTT, and the bounds that losses set (spec/bbr/rules.md). One function for each
 * step of the draft, in its order.
 */
#ifndef FIRSTFLIGHT_BBR_MODEL_H
#define FIRSTFLIGHT_BBR_MODEL_H

#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ProbeRTTInterval and MinRTTFilterLen. */
#define FF_BBR_PROBE_RTT_INTERVAL_NS UINT64_C(5000000000)
#define FF_BBR_MIN_RTT_FILTER_NS UINT64_C(10000000000)
/* The window of the largest rate in Linux, in rounds. */
#define FF_BBR_MAX_BW_ROUNDS UINT64_C(10)
/* What version 3 of Linux leaves of a bound, of 256 parts: 1 - beta. */
#define FF_BBR_LOSS_CUT UINT64_C(180)

/* Take the sample into the largest ones of the round, and see whether a loss round begins. */
void ff_bbr_update_latest_delivery_signals(struct ff_bbr *state, const struct ff_bbr_sample *sample);

/* See whether a round begins. */
void ff_bbr_update_round(struct ff_bbr *state, const struct ff_bbr_sample *sample);

/* Take the sample into the largest rate. */
void ff_bbr_update_max_bw(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                          const struct ff_bbr_sample *sample);

/* Lower the short-term bounds where a loss round ends, outside of Startup. */
void ff_bbr_adapt_lower_bounds_from_congestion(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                               const struct ff_base_state *base);

/* Take the sample into the largest rate, and losses of a round that ends into the short-term bounds. */
void ff_bbr_update_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                      const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* Take the RTT into the smallest one of five seconds, and of ten. */
void ff_bbr_update_min_rtt(const struct ff_bbr_readings *readings, struct ff_bbr *state, uint64_t t_ns,
                           const struct ff_ack *ack);

/* Begin the largest ones of a round with this sample where a loss round begins. */
void ff_bbr_advance_latest_delivery_signals(struct ff_bbr *state, const struct ff_bbr_sample *sample);

/* Bound the rate by that of the short term. */
void ff_bbr_bound_bw_for_model(struct ff_bbr *state);

/* Forget the losses and the largest ones of the round, where Linux leaves Startup or Drain. */
void ff_bbr_reset_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state);

#ifdef __cplusplus
}
#endif

#endif
