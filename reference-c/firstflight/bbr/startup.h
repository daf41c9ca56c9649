/*
 * Startup and Drain: where they begin and what ends them (spec/bbr/rules.md). One function for each step of the draft, in its order;
 * they return the outcome, or FF_OUTCOME_UNCHANGED for none.
 */
#ifndef FIRSTFLIGHT_BBR_STARTUP_H
#define FIRSTFLIGHT_BBR_STARTUP_H

#include "firstflight/bbr/packets.h"
#include "firstflight/bbr/profiles.h"
#include "firstflight/bbr/state.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* StartupPacingGain, DrainPacingGain, DefaultCwndGain. */
#define FF_BBR_STARTUP_PACING_GAIN (FF_BBR_GAIN_UNIT * 277 / 100)
#define FF_BBR_DRAIN_PACING_GAIN (FF_BBR_GAIN_UNIT / 2)
#define FF_BBR_DEFAULT_CWND_GAIN (FF_BBR_GAIN_UNIT * 2)
/* Those of the first version: bbr_high_gain, also of the window, and bbr_drain_gain. */
#define FF_BBR_V1_HIGH_GAIN (FF_BBR_PART * 739)
#define FF_BBR_V1_DRAIN_GAIN (FF_BBR_PART * 88)
/* That of version 3, whose gain of Drain is the same. */
#define FF_BBR_V3_STARTUP_GAIN (FF_BBR_PART * 710)
/* LossThresh is one of these parts of what was in flight: 2 %. */
#define FF_BBR_LOSS_THRESH UINT64_C(50)
/* In Linux it is so many of 256. */
#define FF_BBR_LOSS_THRESH_PARTS UINT64_C(5)
/* Rounds without growth that fill the pipe, and those that Drain lasts at most. */
#define FF_BBR_FULL_BW_ROUNDS UINT64_C(3)
#define FF_BBR_DRAIN_ROUNDS UINT64_C(3)

/* Begin Startup. */
void ff_bbr_enter_startup(const struct ff_bbr_readings *readings, struct ff_bbr *state);

/* Begin to look for a full pipe. */
void ff_bbr_reset_full_bw(struct ff_bbr *state);

/* See whether the rate still grows: at the start of a round, or at any ACK. */
enum ff_outcome ff_bbr_check_full_bw_reached(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                             const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* Return whether more than 2 % was lost; both are whole, so that the share may be rounded down. */
bool ff_bbr_is_inflight_too_high(const struct ff_bbr_readings *readings, const struct ff_base_state *base,
                                 const struct ff_bbr_sample *sample);

/* See at the end of a round whether too much was lost in it. */
enum ff_outcome ff_bbr_check_startup_high_loss(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                               const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* End Startup if the pipe is full. */
enum ff_outcome ff_bbr_check_startup_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                          const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* Begin Drain. */
void ff_bbr_enter_drain(const struct ff_bbr_readings *readings, struct ff_bbr *state);

/* End Drain if no more is in flight than the path holds, or if it lasts long. exited: Startup ends with this ACK. */
enum ff_outcome ff_bbr_check_drain_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                        const struct ff_base_state *base, uint64_t now_ns, bool exited);

/* Go on at the rate that was found. Ours: the draft probes from here on. */
void ff_bbr_enter_probe_bw(struct ff_bbr *state);

/* Raise the long-term volume to what was in flight where little of it was lost. */
void ff_bbr_raise_long_term(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                            const struct ff_base_state *base, const struct ff_bbr_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
