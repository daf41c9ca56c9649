/* Names of phases and outcomes. Mirrors reference-py/src/firstflight/observables.py. */
#include "firstflight/observables.h"

#include <stddef.h>

static const char *const phase_names[] = {
    [FF_PHASE_SLOW_START] = "slow_start",
    [FF_PHASE_RECOVERY] = "recovery",
    [FF_PHASE_CONGESTION_AVOIDANCE] = "congestion_avoidance",
    [FF_PHASE_JUMP] = "jump",
};

static const char *const outcome_names[] = {
    [FF_OUTCOME_SENT] = "sent",
    [FF_OUTCOME_GROWN] = "grown",
    [FF_OUTCOME_GROWN_AVOIDANCE] = "grown_avoidance",
    [FF_OUTCOME_APP_LIMITED] = "app_limited",
    [FF_OUTCOME_IN_RECOVERY] = "in_recovery",
    [FF_OUTCOME_REDUCED] = "reduced",
    [FF_OUTCOME_ALREADY_REDUCED] = "already_reduced",
    [FF_OUTCOME_COLLAPSED] = "collapsed",
    [FF_OUTCOME_UNCHANGED] = "unchanged",
    [FF_OUTCOME_NO_RTT_SAMPLE] = "no_rtt_sample",
    [FF_OUTCOME_STARTED] = "started",
    [FF_OUTCOME_SAME_BIN] = "same_bin",
    [FF_OUTCOME_WARMING_UP] = "warming_up",
    [FF_OUTCOME_RTT_INFLATED] = "rtt_inflated",
    [FF_OUTCOME_PREVIOUS_ZERO] = "previous_zero",
    [FF_OUTCOME_BELOW_THRESHOLD] = "below_threshold",
    [FF_OUTCOME_EXITED] = "exited",
    [FF_OUTCOME_RESTARTED] = "restarted",
    [FF_OUTCOME_RTT_BELOW_BIN] = "rtt_below_bin",
    [FF_OUTCOME_CURRENT_ZERO] = "current_zero",
    [FF_OUTCOME_DRAINING] = "draining",
    [FF_OUTCOME_DRAINED] = "drained",
    [FF_OUTCOME_JUMP_BEGUN] = "jump_begun",
    [FF_OUTCOME_JUMP_KEPT] = "jump_kept",
    [FF_OUTCOME_JUMP_CHANGED] = "jump_changed",
    [FF_OUTCOME_JUMP_SPENT] = "jump_spent",
    [FF_OUTCOME_JUMP_BARRED] = "jump_barred",
    [FF_OUTCOME_NOTHING_TO_JUMP] = "nothing_to_jump",
    [FF_OUTCOME_JUMP_TOO_SMALL] = "jump_too_small",
    [FF_OUTCOME_JUMP_SENT] = "jump_sent",
    [FF_OUTCOME_JUMP_ENDED] = "jump_ended",
    [FF_OUTCOME_JUMP_ACCOUNTED] = "jump_accounted",
    [FF_OUTCOME_JUMP_REARMED] = "jump_rearmed",
    [FF_OUTCOME_RAISED_IN_RECOVERY] = "raised_in_recovery",
    [FF_OUTCOME_WINDOW_NOT_FULL] = "window_not_full",
};

void ff_observation_clear(struct ff_observation *observation)
{
    observation->cwnd_bytes = 0;
    observation->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    observation->phase = FF_PHASE_SLOW_START;
    observation->outcome = FF_OUTCOME_UNCHANGED;
    observation->next_release_ns = FF_NONE;
    observation->recovery_start_ns = FF_NONE;
    observation->bin = FF_NONE;
    observation->open_bin_bytes = FF_NONE;
    observation->shift_bins = FF_NONE;
    observation->current_bytes = FF_NONE;
    observation->previous_bytes = FF_NONE;
    observation->target_bytes = FF_NONE;
    observation->planned_packets = FF_NONE;
    observation->sent_packets = FF_NONE;
    observation->repeated_packets = FF_NONE;
    observation->acked_bytes = FF_NONE;
}

const char *ff_phase_name(enum ff_phase phase)
{
    return (size_t)phase < sizeof phase_names / sizeof phase_names[0] ? phase_names[phase] : NULL;
}

const char *ff_outcome_name(enum ff_outcome outcome)
{
    return (size_t)outcome < sizeof outcome_names / sizeof outcome_names[0] ? outcome_names[outcome] : NULL;
}
