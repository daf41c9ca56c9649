/* Names of phases and outcomes. Mirrors reference-py/src/firstflight/observables.py. */
#include "firstflight/observables.h"

#include <stddef.h>

static const char *const phase_names[] = {
    [FF_PHASE_SLOW_START] = "slow_start",
    [FF_PHASE_RECOVERY] = "recovery",
    [FF_PHASE_CONGESTION_AVOIDANCE] = "congestion_avoidance",
    [FF_PHASE_JUMP] = "jump",
    [FF_PHASE_NORMAL] = "normal",
    [FF_PHASE_RECONNAISSANCE] = "reconnaissance",
    [FF_PHASE_UNVALIDATED] = "unvalidated",
    [FF_PHASE_VALIDATING] = "validating",
    [FF_PHASE_SAFE_RETREAT] = "safe_retreat",
    [FF_PHASE_CONSERVATIVE_SLOW_START] = "conservative_slow_start",
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
    [FF_OUTCOME_RESTORED] = "restored",
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
    [FF_OUTCOME_RESUMING] = "resuming",
    [FF_OUTCOME_ALREADY_USED] = "already_used",
    [FF_OUTCOME_SAVED_SET_ABSENT] = "saved_set_absent",
    [FF_OUTCOME_SAVED_SET_IN_USE] = "saved_set_in_use",
    [FF_OUTCOME_ENDPOINT_MISMATCH] = "endpoint_mismatch",
    [FF_OUTCOME_LIFETIME_EXCEEDED] = "lifetime_exceeded",
    [FF_OUTCOME_RTT_NOT_VALIDATED] = "rtt_not_validated",
    [FF_OUTCOME_JUMP_NOT_LARGER] = "jump_not_larger",
    [FF_OUTCOME_THRESHOLD_SET] = "threshold_set",
    [FF_OUTCOME_JUMPED] = "jumped",
    [FF_OUTCOME_WINDOW_KEPT] = "window_kept",
    [FF_OUTCOME_RATE_LIMITED] = "rate_limited",
    [FF_OUTCOME_VALIDATION_BEGUN] = "validation_begun",
    [FF_OUTCOME_VALIDATED] = "validated",
    [FF_OUTCOME_RETREATED] = "retreated",
    [FF_OUTCOME_RETREAT_ENDED] = "retreat_ended",
    [FF_OUTCOME_PATH_CHANGED] = "path_changed",
    [FF_OUTCOME_CONSERVATIVE_BEGUN] = "conservative_begun",
    [FF_OUTCOME_CONSERVATIVE_GROWN] = "conservative_grown",
    [FF_OUTCOME_SLOW_START_RESUMED] = "slow_start_resumed",
    [FF_OUTCOME_EXITED_BY_TRAIN] = "exited_by_train",
    [FF_OUTCOME_EXITED_BY_DELAY] = "exited_by_delay",
};

static const char *const trigger_names[] = {
    [FF_TRIGGER_CONGESTION_WINDOW_LIMITED] = "congestion_window_limited",
    [FF_TRIGGER_RTT_NOT_VALIDATED] = "rtt_not_validated",
    [FF_TRIGGER_LAST_UNVALIDATED_PACKET_SENT] = "last_unvalidated_packet_sent",
    [FF_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED] = "first_unvalidated_packet_acknowledged",
    [FF_TRIGGER_RTT_EXCEEDED] = "rtt_exceeded",
    [FF_TRIGGER_RATE_LIMITED] = "rate_limited",
    [FF_TRIGGER_LAST_UNVALIDATED_PACKET_ACKNOWLEDGED] = "last_unvalidated_packet_acknowledged",
    [FF_TRIGGER_PATH_CHANGED] = "path_changed",
    [FF_TRIGGER_PACKET_LOSS] = "packet_loss",
    [FF_TRIGGER_ECN_CE] = "ECN_CE",
    [FF_TRIGGER_EXIT_RECOVERY] = "exit_recovery",
};

const char *ff_phase_name(enum ff_phase phase)
{
    return (size_t)phase < sizeof phase_names / sizeof phase_names[0] ? phase_names[phase] : NULL;
}

const char *ff_outcome_name(enum ff_outcome outcome)
{
    return (size_t)outcome < sizeof outcome_names / sizeof outcome_names[0] ? outcome_names[outcome] : NULL;
}

const char *ff_trigger_name(enum ff_trigger trigger)
{
    return (size_t)trigger < sizeof trigger_names / sizeof trigger_names[0] ? trigger_names[trigger] : NULL;
}
