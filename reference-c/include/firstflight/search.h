/*
 * SEARCH (spec/search.md), in every profile of search_profiles.h. Source: LANMAN 2024, Algorithm 1.
 *
 * Time is in ticks of 1/20 ns: the bin duration, 7/20 of the initial RTT, is then a whole number of ticks.
 */
#ifndef FIRSTFLIGHT_SEARCH_H
#define FIRSTFLIGHT_SEARCH_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/limits.h"
#include "firstflight/observables.h"
#include "firstflight/search_profiles.h"

#define FF_SEARCH_TICKS_PER_NS 20
/* Bin duration in ticks per ns of initial RTT: 20 * 0.35. */
#define FF_SEARCH_BIN_TICKS_PER_RTT_NS 7
#define FF_SEARCH_WINDOW_BINS 10
#define FF_SEARCH_RING_BINS 25
/* norm_diff >= 7/20 is 13 * previous >= 10 * current. */
#define FF_SEARCH_THRESHOLD_PREVIOUS 13
#define FF_SEARCH_THRESHOLD_CURRENT 10

struct ff_search {
    uint64_t bin_ticks;                 /* the bin duration, 0 until the first RTT sample */
    uint64_t bin_end_ticks;             /* when the open bin ends */
    uint64_t curr;                      /* index of the open bin; it never wraps */
    uint64_t rtt_ns;                    /* the RTT of the last evaluation or start */
    uint64_t bins[FF_SEARCH_RING_BINS]; /* bytes delivered, bin i in slot i mod 25; each at most FF_BIN_MAX_BYTES */
    uint32_t slot;                      /* curr mod 25, so that an ACK within a bin divides nothing */
};

/* What an evaluation computed; FF_NONE where it did not come that far. */
struct ff_search_evaluation {
    enum ff_outcome outcome;
    uint64_t shift_bins;
    uint64_t current_bytes;
    uint64_t previous_bytes;
};

/* New windows at the end of slow start, and how the same ACK may still grow them. */
struct ff_search_exit {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;
    uint8_t growth; /* FF_SEARCH_EXIT_GROWTH_... */
};

/* What SEARCH decided on an ACK. `exit` is written exactly when the outcome is FF_OUTCOME_EXITED. */
struct ff_search_decision {
    struct ff_search_evaluation evaluation;
    struct ff_search_exit exit;
};

/* Fill in the state before the first ACK. */
void ff_search_begin(struct ff_search *state);

/*
 * Process an ACK that arrived at t_ns in slow start, before the base controller does. The ACK is one that
 * ff_event_check accepts, t_ns does not decrease, cwnd_bytes is the window before the ACK.
 * FF_ERR_DOMAIN if a bin would hold more than FF_BIN_MAX_BYTES.
 */
enum ff_status ff_search_on_ack(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                const struct ff_ack *ack, uint64_t cwnd_bytes, uint64_t minimum_window_bytes,
                                struct ff_search_decision *decision);

/* Process persistent congestion, which leads back to slow start. */
void ff_search_on_persistent_congestion(const struct ff_search_readings *readings, struct ff_search *state);

#endif
