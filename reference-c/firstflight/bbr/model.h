/*
 * The path model of BBR: rounds, rates, RTT, and the bounds set on losses (spec/bbr/rules.md). One function for each
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
/* Length of the maximum filter of the rate in Linux, in rounds. */
#define FF_BBR_MAX_BW_ROUNDS UINT64_C(10)
/* Factor 1 - beta of a bound after losses in version 3 of Linux, in parts of 256. */
#define FF_BBR_LOSS_CUT UINT64_C(180)

/* Update the largest samples of the round, and check whether a loss round begins. */
void ff_bbr_update_latest_delivery_signals(struct ff_bbr *state, const struct ff_bbr_sample *sample);

/* Check whether a round begins. */
void ff_bbr_update_round(struct ff_bbr *state, const struct ff_bbr_sample *sample);

/* Update the largest rate with the sample. */
void ff_bbr_update_max_bw(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                          const struct ff_bbr_sample *sample);

/* Lower the short-term bounds at the end of a loss round, outside Startup. */
void ff_bbr_adapt_lower_bounds_from_congestion(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                               const struct ff_base_state *base);

/* Update the largest rate with the sample, and the short-term bounds with the losses of an ended round. */
void ff_bbr_update_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                      const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* Update the smallest RTT of five seconds, and of ten seconds. */
void ff_bbr_update_min_rtt(const struct ff_bbr_readings *readings, struct ff_bbr *state, uint64_t t_ns,
                           const struct ff_ack *ack);

/* When a loss round begins, restart the largest samples of the round with this sample. */
void ff_bbr_advance_latest_delivery_signals(struct ff_bbr *state, const struct ff_bbr_sample *sample);

/* Bound the rate by the short-term rate. */
void ff_bbr_bound_bw_for_model(struct ff_bbr *state);

/* Reset the losses and the largest samples of the round, as Linux does when it leaves Startup or Drain. */
void ff_bbr_reset_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state);

#ifdef __cplusplus
}
#endif

#endif
