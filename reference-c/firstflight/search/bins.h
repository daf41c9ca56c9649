/* The bins of SEARCH (spec/search/rules.md): bytes counted in equal spans of time. */
#ifndef FIRSTFLIGHT_SEARCH_BINS_H
#define FIRSTFLIGHT_SEARCH_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/limits.h"
#include "firstflight/search/profiles.h"
#include "firstflight/search/state.h"

#ifdef __cplusplus
extern "C" {
#endif

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
