/*
 * The bins of SEARCH (spec/search.md): bytes counted in equal spans of time.
 *
 * Time is in ticks of 1/20 of the unit of the profile's clock: the bin duration, 7/20 of the initial RTT, is then a whole
 * number. The state is the caller's. How large it is depends on the readings, and nothing beyond that is touched:
 *
 *     struct ff_search       every profile
 *     struct ff_search_more  where sent bytes are compared, or the exit drains the flight
 *     delivered bins         ff_search_kept_bins(readings, FF_SEARCH_DELIVERED) slots of seven bytes, least significant first
 *     sent bins              ff_search_kept_bins(readings, FF_SEARCH_SENT) slots
 *
 * Bin i is in slot i modulo the number of slots. A slot is written when its bin ends, and never read before.
 */
#ifndef FIRSTFLIGHT_SEARCH_BINS_H
#define FIRSTFLIGHT_SEARCH_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firstflight/limits.h"
#include "firstflight/observables.h"
#include "firstflight/search/profiles.h"
#include "firstflight/search/rtt.h"
#include "firstflight/rare.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FF_SEARCH_TICKS_PER_UNIT 20
/* Bin duration in ticks per unit of initial RTT: 20 * 0.35. */
#define FF_SEARCH_BIN_TICKS_PER_RTT 7
#define FF_SEARCH_WINDOW_BINS 10
#define FF_SEARCH_RING_BINS 25
/* The largest shift that a profile may allow. */
#define FF_SEARCH_SHIFT_MAXIMUM_BINS 38
/* Completed bins of one series that any readings need. */
#define FF_SEARCH_KEPT_BINS 49
#define FF_SEARCH_BIN_BYTES 7
/* What a series counts at most. */
#define FF_SEARCH_COUNTER_MAX_BYTES (UINT64_MAX >> 1)
/* Room for the state of any readings, in 64-bit words: 104 bytes, 49 bins sent and 24 delivered. */
#define FF_SEARCH_STATE_WORDS 77

/* The two series of bytes. */
enum ff_search_kind {
    FF_SEARCH_DELIVERED = 0,
    FF_SEARCH_SENT,
};

/* Bytes of one kind. What the open bin holds is the difference. */
struct ff_search_series {
    uint64_t counter_bytes; /* all that was counted */
    uint64_t opened_bytes;  /* of these, what does not belong to the open bin: the counter as it was when the bin was opened */
};

/*
 * State of SEARCH. The end of the open bin is kept as the first time that lies after it, which spares every ACK the clock of
 * the profile: an ACK at t_ns ends a bin if and only if t_ns >= gate_ns.
 */
struct ff_search {
    uint64_t gate_ns;   /* 0 while no bin is open: before the start, and while draining */
    uint64_t bin_ticks; /* the bin duration, 0 until the first RTT sample */
    uint64_t curr;      /* index of the open bin; it never wraps */
    struct ff_search_sample sample; /* the last one of the connection */
    struct ff_search_series delivered;
    FF_C11 uint64_t more[]; /* what the readings need beyond this */
};

/* What only some readings need. */
struct ff_search_more {
    struct ff_search_series sent;
    uint64_t target_bytes;  /* what the flight is drained to, FF_NONE unless it is */
    uint64_t drain_acked;   /* packets or bytes acknowledged since a packet was last let go while draining */
};

/* Room for the state of any readings. */
struct ff_search_any {
    uint64_t words[FF_SEARCH_STATE_WORDS];
};

/* Return how many bytes the state of a profile takes; it must be aligned as a uint64_t. shift_maximum_bins is at most 38. */
size_t ff_search_state_bytes(const struct ff_search_readings *readings);

/* Return how many completed bins of a series the readings need. */
uint32_t ff_search_kept_bins(const struct ff_search_readings *readings, enum ff_search_kind kind);

/* Return the slots of a series. Like strchr, it and ff_search_more serve readers and writers of the state alike. */
uint8_t *ff_search_slots(const struct ff_search_readings *readings, const struct ff_search *state, enum ff_search_kind kind);

/* Fill in the state before the first ACK. */
void ff_search_init(const struct ff_search_readings *readings, struct ff_search *state);

/* Forget everything but the counters and the last sample. */
void ff_search_forget(const struct ff_search_readings *readings, struct ff_search *state);

/* Return 35 % of an initial RTT in units; 0 where the reading finds no duration. */
uint64_t ff_search_bin_duration_ticks(const struct ff_search_readings *readings, uint64_t rtt_units);

/* Open bin 0 now, every bin being empty; the counters go on. None is open where the duration is 0. */
void ff_search_begin(const struct ff_search_readings *readings, struct ff_search *state, uint64_t bin_ticks,
                     uint64_t now_units);

/* Return when the open bin ends; there is one. */
uint64_t ff_search_bin_end_ticks(const struct ff_search_readings *readings, const struct ff_search *state);

/* Return floor((now - bin_end) / bin duration) + 1; t_ns is gate_ns at least. */
uint64_t ff_search_passed(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns);

/* Return how many bins end at t_ns, which is gate_ns at least. */
uint64_t ff_search_ended(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns);

/* End a number of bins, of which all but one are empty. */
void ff_search_advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t steps);

/* Return what only some readings need, or NULL where these do not. */
static inline struct ff_search_more *ff_search_more(const struct ff_search_readings *readings,
                                                    const struct ff_search *state)
{
    bool needed = readings->compared == FF_SEARCH_COMPARED_SENT || readings->lower == FF_SEARCH_LOWER_DRAIN;

    return needed ? (struct ff_search_more *)state->more : NULL;
}

/* Return what the flight is drained to, FF_NONE unless it is. */
static inline uint64_t ff_search_target_bytes(const struct ff_search_readings *readings, const struct ff_search *state)
{
    const struct ff_search_more *more = ff_search_more(readings, state);

    return more != NULL ? more->target_bytes : FF_NONE;
}

/* Count bytes in the open bin. Return false, and count nothing, if the bin or the counter cannot take them. */
static inline bool ff_search_credit(struct ff_search_series *series, uint64_t bytes)
{
    uint64_t counter_bytes = series->counter_bytes + bytes; /* below 2^63 + 2^48 */

    if (counter_bytes - series->opened_bytes > FF_BIN_MAX_BYTES || counter_bytes > FF_SEARCH_COUNTER_MAX_BYTES) {
        return false;
    }
    series->counter_bytes = counter_bytes;
    return true;
}

/* Count bytes that belong to no bin. Return false, and count nothing, if the counter cannot take them. */
static inline bool ff_search_count(struct ff_search_series *series, uint64_t bytes)
{
    if (series->counter_bytes + bytes > FF_SEARCH_COUNTER_MAX_BYTES) {
        return false;
    }
    series->counter_bytes += bytes;
    series->opened_bytes += bytes;
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
