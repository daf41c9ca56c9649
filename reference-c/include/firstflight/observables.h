/* What a controller answers to an event (spec/events.md, section Observables). */
#ifndef FIRSTFLIGHT_OBSERVABLES_H
#define FIRSTFLIGHT_OBSERVABLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A slow-start threshold that is infinite. */
#define FF_SSTHRESH_INFINITE UINT64_MAX

/* A number of the state that is not there, or was not computed on this event. */
#define FF_NONE UINT64_MAX

/* The phases of RFC 9002, section 7.3, and that of a first flight which is paced. */
enum ff_phase {
    FF_PHASE_SLOW_START = 0,
    FF_PHASE_RECOVERY,
    FF_PHASE_CONGESTION_AVOIDANCE,
    FF_PHASE_JUMP,
    /* those of Careful Resume (spec/careful-resume.md) */
    FF_PHASE_NORMAL,
    FF_PHASE_RECONNAISSANCE,
    FF_PHASE_UNVALIDATED,
    FF_PHASE_VALIDATING,
    FF_PHASE_SAFE_RETREAT,
    /* that of HyStart++ (spec/hystartpp.md) */
    FF_PHASE_CONSERVATIVE_SLOW_START,
};

/* What a controller did on an event, or why it did nothing. */
enum ff_outcome {
    /* the base controller (spec/slow-start.md) */
    FF_OUTCOME_SENT = 0,
    FF_OUTCOME_GROWN,
    FF_OUTCOME_GROWN_AVOIDANCE,
    FF_OUTCOME_APP_LIMITED,
    FF_OUTCOME_IN_RECOVERY,
    FF_OUTCOME_REDUCED,
    FF_OUTCOME_ALREADY_REDUCED,
    FF_OUTCOME_COLLAPSED,
    FF_OUTCOME_UNCHANGED,
    /* CUBIC (spec/cubic.md) */
    FF_OUTCOME_RESTORED,
    /* SEARCH (spec/search.md) */
    FF_OUTCOME_NO_RTT_SAMPLE,
    FF_OUTCOME_STARTED,
    FF_OUTCOME_SAME_BIN,
    FF_OUTCOME_WARMING_UP,
    FF_OUTCOME_RTT_INFLATED,
    FF_OUTCOME_PREVIOUS_ZERO,
    FF_OUTCOME_BELOW_THRESHOLD,
    FF_OUTCOME_EXITED,
    FF_OUTCOME_RESTARTED,
    FF_OUTCOME_RTT_BELOW_BIN,
    FF_OUTCOME_CURRENT_ZERO,
    FF_OUTCOME_DRAINING,
    FF_OUTCOME_DRAINED,
    /* JumpStart (spec/jumpstart.md) */
    FF_OUTCOME_JUMP_BEGUN,
    FF_OUTCOME_JUMP_KEPT,
    FF_OUTCOME_JUMP_CHANGED,
    FF_OUTCOME_JUMP_SPENT,
    FF_OUTCOME_JUMP_BARRED,
    FF_OUTCOME_NOTHING_TO_JUMP,
    FF_OUTCOME_JUMP_TOO_SMALL,
    FF_OUTCOME_JUMP_SENT,
    FF_OUTCOME_JUMP_ENDED,
    FF_OUTCOME_JUMP_ACCOUNTED,
    FF_OUTCOME_JUMP_REARMED,
    FF_OUTCOME_RAISED_IN_RECOVERY,
    FF_OUTCOME_WINDOW_NOT_FULL,
    /* Careful Resume (spec/careful-resume.md) */
    FF_OUTCOME_RESUMING,
    FF_OUTCOME_ALREADY_USED,
    FF_OUTCOME_SAVED_SET_ABSENT,
    FF_OUTCOME_SAVED_SET_IN_USE,
    FF_OUTCOME_ENDPOINT_MISMATCH,
    FF_OUTCOME_LIFETIME_EXCEEDED,
    FF_OUTCOME_RTT_NOT_VALIDATED,
    FF_OUTCOME_JUMP_NOT_LARGER,
    FF_OUTCOME_THRESHOLD_SET,
    FF_OUTCOME_JUMPED,
    FF_OUTCOME_WINDOW_KEPT,
    FF_OUTCOME_RATE_LIMITED,
    FF_OUTCOME_VALIDATION_BEGUN,
    FF_OUTCOME_VALIDATED,
    FF_OUTCOME_RETREATED,
    FF_OUTCOME_RETREAT_ENDED,
    FF_OUTCOME_PATH_CHANGED,
    /* HyStart++ (spec/hystartpp.md) */
    FF_OUTCOME_CONSERVATIVE_BEGUN,
    FF_OUTCOME_CONSERVATIVE_GROWN,
    FF_OUTCOME_SLOW_START_RESUMED,
    /* HyStart (spec/hystart.md) */
    FF_OUTCOME_EXITED_BY_TRAIN,
    FF_OUTCOME_EXITED_BY_DELAY,
};

/* Why Careful Resume changed its phase, as in its qlog draft. */
enum ff_trigger {
    FF_TRIGGER_CONGESTION_WINDOW_LIMITED = 0,
    FF_TRIGGER_RTT_NOT_VALIDATED,
    FF_TRIGGER_LAST_UNVALIDATED_PACKET_SENT,
    FF_TRIGGER_FIRST_UNVALIDATED_PACKET_ACKNOWLEDGED,
    FF_TRIGGER_RTT_EXCEEDED,
    FF_TRIGGER_RATE_LIMITED,
    FF_TRIGGER_LAST_UNVALIDATED_PACKET_ACKNOWLEDGED,
    FF_TRIGGER_PATH_CHANGED,
    FF_TRIGGER_PACKET_LOSS,
    FF_TRIGGER_ECN_CE,
    FF_TRIGGER_EXIT_RECOVERY,
    FF_TRIGGER_NONE, /* the phase stays, or the draft has no name for the reason */
};

/*
 * The observables after one event. The numbers after `outcome` are the state that the page of the algorithm lists;
 * those of another algorithm are FF_NONE.
 */
struct ff_observation {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes; /* or FF_SSTHRESH_INFINITE */
    enum ff_phase phase;
    enum ff_outcome outcome;
    /* of an algorithm that paces: when the next packet may leave; FF_NONE: nothing is paced */
    uint64_t next_release_ns;
    /* slow-start, cubic, jumpstart */
    uint64_t recovery_start_ns;
    /* cubic */
    uint64_t w_max_bytes;
    uint64_t cwnd_prior_bytes;
    uint64_t epoch_start_ns;
    uint64_t k_ns;
    uint64_t w_est_bytes;
    /* search */
    uint64_t bin;
    uint64_t open_bin_bytes;
    uint64_t shift_bins;
    uint64_t current_bytes;
    uint64_t previous_bytes;
    uint64_t target_bytes;
    /* jumpstart */
    uint64_t planned_packets;
    uint64_t sent_packets;
    uint64_t repeated_packets;
    uint64_t acked_bytes;
    /* careful-resume, and `bin` and `open_bin_bytes` where SEARCH runs below it */
    enum ff_trigger trigger;
    uint64_t pipesize_bytes;
    uint64_t first_unvalidated_packet;
    uint64_t last_unvalidated_packet;
    uint64_t jump_bytes;
    uint64_t saved_cwnd_bytes;
    uint64_t saved_rtt_ns;
    uint64_t saved_in_use; /* 1: yes */
    /* hystartpp, hystart */
    uint64_t round_end_packet;
    uint64_t rtt_samples;
    uint64_t current_min_rtt_ns;
    /* hystartpp */
    uint64_t last_min_rtt_ns;
    uint64_t baseline_rtt_ns;
    uint64_t css_rounds;
    /* hystart */
    uint64_t min_rtt_ns;
    uint64_t round_start_ns;
    uint64_t train_ns;
};

/* Fill in an observation in which no number is there. */
static inline void ff_observation_clear(struct ff_observation *observation)
{
    observation->cwnd_bytes = 0;
    observation->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    observation->phase = FF_PHASE_SLOW_START;
    observation->outcome = FF_OUTCOME_UNCHANGED;
    observation->next_release_ns = FF_NONE;
    observation->recovery_start_ns = FF_NONE;
    observation->w_max_bytes = FF_NONE;
    observation->cwnd_prior_bytes = FF_NONE;
    observation->epoch_start_ns = FF_NONE;
    observation->k_ns = FF_NONE;
    observation->w_est_bytes = FF_NONE;
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
    observation->trigger = FF_TRIGGER_NONE;
    observation->pipesize_bytes = FF_NONE;
    observation->first_unvalidated_packet = FF_NONE;
    observation->last_unvalidated_packet = FF_NONE;
    observation->jump_bytes = FF_NONE;
    observation->saved_cwnd_bytes = FF_NONE;
    observation->saved_rtt_ns = FF_NONE;
    observation->saved_in_use = FF_NONE;
    observation->round_end_packet = FF_NONE;
    observation->rtt_samples = FF_NONE;
    observation->current_min_rtt_ns = FF_NONE;
    observation->last_min_rtt_ns = FF_NONE;
    observation->baseline_rtt_ns = FF_NONE;
    observation->css_rounds = FF_NONE;
    observation->min_rtt_ns = FF_NONE;
    observation->round_start_ns = FF_NONE;
    observation->train_ns = FF_NONE;
}

/* Return the name in vectors, or NULL if there is no such phase, outcome or trigger. */
const char *ff_phase_name(enum ff_phase phase);
const char *ff_outcome_name(enum ff_outcome outcome);
const char *ff_trigger_name(enum ff_trigger trigger);

#ifdef __cplusplus
}
#endif

#endif
