/*
 * The beginning and end of Startup and Drain (spec/bbr/rules.md). One function for each step of the draft, in its
 * order. They return the outcome, or FF_OUTCOME_UNCHANGED without one.
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
/* Gains of the first version: bbr_high_gain, also used for the window, and bbr_drain_gain. */
#define FF_BBR_V1_HIGH_GAIN (FF_BBR_PART * 739)
#define FF_BBR_V1_DRAIN_GAIN (FF_BBR_PART * 88)
/* Startup gain of version 3, which uses the same Drain gain. */
#define FF_BBR_V3_STARTUP_GAIN (FF_BBR_PART * 710)
/* LossThresh is this part of the bytes in flight: 1/50, or 2 %. */
#define FF_BBR_LOSS_THRESH UINT64_C(50)
/* LossThresh in Linux, in parts of 256. */
#define FF_BBR_LOSS_THRESH_PARTS UINT64_C(5)
/* Rounds without growth that indicate a full pipe, and the largest number of rounds of Drain. */
#define FF_BBR_FULL_BW_ROUNDS UINT64_C(3)
#define FF_BBR_DRAIN_ROUNDS UINT64_C(3)

/* Begin Startup. */
void ff_bbr_enter_startup(const struct ff_bbr_readings *readings, struct ff_bbr *state);

/* Restart the search for a full pipe. */
void ff_bbr_reset_full_bw(struct ff_bbr *state);

/* Check whether the rate still grows, at the start of a round or at any ACK. */
enum ff_outcome ff_bbr_check_full_bw_reached(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                             const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* Return whether more than 2 % was lost. The bytes are integers, so rounding the share down changes nothing. */
bool ff_bbr_is_inflight_too_high(const struct ff_bbr_readings *readings, const struct ff_base_state *base,
                                 const struct ff_bbr_sample *sample);

/* Check at the end of a round whether its losses end Startup. */
enum ff_outcome ff_bbr_check_startup_high_loss(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                               const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* End Startup if the pipe is full. */
enum ff_outcome ff_bbr_check_startup_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                          const struct ff_base_state *base, const struct ff_bbr_sample *sample);

/* Begin Drain. */
void ff_bbr_enter_drain(const struct ff_bbr_readings *readings, struct ff_bbr *state);

/* End Drain if at most one BDP is in flight, or after too many rounds. exited: Startup ends with this ACK. */
enum ff_outcome ff_bbr_check_drain_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                        const struct ff_base_state *base, uint64_t now_ns, bool exited);

/* Continue at the measured rate. Ours: in the draft, probing begins here. */
void ff_bbr_enter_probe_bw(struct ff_bbr *state);

/* Raise the long-term volume to the bytes in flight of a sample without high loss. */
void ff_bbr_raise_long_term(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                            const struct ff_base_state *base, const struct ff_bbr_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
