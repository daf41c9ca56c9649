/*
 * The bins of SEARCH (spec/search.md): bytes counted in equal spans of time.
 *
 * Time is in ticks of 1/20 of the unit of the profile's clock: the bin duration, 7/20 of the initial RTT, is then a
 * whole number. The state is the caller's; layout.h says how large it is.
 */
#ifndef FIRSTFLIGHT_SEARCH_BINS_H
#define FIRSTFLIGHT_SEARCH_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/limits.h"
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
/* What a series counts at most. */
#define FF_SEARCH_COUNTER_MAX_BYTES (UINT64_MAX >> 1)

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
 * State of SEARCH. The end of the open bin is kept as the first time that lies after it, which spares every ACK the
 * clock of the profile: an ACK at t_ns ends a bin if and only if t_ns >= gate_ns.
 */
struct ff_search {
    uint64_t gate_ns;   /* 0 while no bin is open: before the start, and while draining */
    uint64_t bin_ticks; /* the bin duration, 0 until the first RTT sample */
    uint64_t curr;      /* index of the open bin; it never wraps */
    struct ff_search_sample sample; /* the last one of the connection */
    struct ff_search_series delivered;
    FF_C11 uint64_t more[]; /* what the readings need beyond this */
};

/* Return 35 % of an initial RTT in units; 0 where the reading finds no duration. */
uint64_t ff_search_bin_duration_ticks(const struct ff_search_readings *readings, uint64_t rtt_units);

/* Open bin 0 now, every bin being empty; the counters go on. None is open where the duration is 0. */
void ff_search_open_first_bin(const struct ff_search_readings *readings, struct ff_search *state, uint64_t bin_ticks,
                              uint64_t now_units);

/* Forget everything but the counters and the last sample. */
void ff_search_forget(const struct ff_search_readings *readings, struct ff_search *state);

/* Count from 0 again; no bin is open. */
void ff_search_zero_counters(const struct ff_search_readings *readings, struct ff_search *state);

/* Return floor((now - bin_end) / bin duration) + 1; t_ns is gate_ns at least. */
uint64_t ff_search_passed_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns);

/* End the bins that are over, and open the next; t_ns is gate_ns at least. */
void ff_search_advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns);

/* Undo the end of the last bin: it is open again, as it was. The bin after it was empty. */
void ff_search_reopen(const struct ff_search_readings *readings, struct ff_search *state);

/* Return whether the open bin and the counter can take the bytes, at most FF_EVENT_MAX_BYTES. */
static inline bool ff_search_has_room(const struct ff_search_series *series, uint64_t bytes)
{
    uint64_t counter_bytes = series->counter_bytes + bytes; /* below 2^63 + 2^48 */

    return counter_bytes - series->opened_bytes <= FF_BIN_MAX_BYTES && counter_bytes <= FF_SEARCH_COUNTER_MAX_BYTES;
}

/* Count bytes in the open bin. */
static inline void ff_search_credit(struct ff_search_series *series, uint64_t bytes)
{
    series->counter_bytes += bytes;
}

/* Count bytes that belong to no bin. */
static inline void ff_search_count(struct ff_search_series *series, uint64_t bytes)
{
    series->counter_bytes += bytes;
    series->opened_bytes += bytes;
}

#ifdef __cplusplus
}
#endif

#endif
