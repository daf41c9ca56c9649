/* What a controller answers to an event (spec/events.md, section Observables). */
#ifndef FIRSTFLIGHT_OBSERVABLES_H
#define FIRSTFLIGHT_OBSERVABLES_H

#include <stdint.h>

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
    /* slow-start, jumpstart */
    uint64_t recovery_start_ns;
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
};

/* Fill in an observation in which no number is there. */
void ff_observation_clear(struct ff_observation *observation);

/* Return the name in vectors, or NULL if there is no such phase or outcome. */
const char *ff_phase_name(enum ff_phase phase);
const char *ff_outcome_name(enum ff_outcome outcome);

#endif
