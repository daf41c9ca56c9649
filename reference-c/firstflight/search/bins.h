/* The bins of SEARCH (spec/search/rules.md): bytes counted in intervals of equal length. */
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

/* Return the bin duration in ticks: 35 % of an initial RTT in units, or 0 where the reading rounds down to 0. */
uint64_t ff_search_bin_duration_ticks(const struct ff_search_readings *readings, uint64_t rtt_units);

/* Open bin 0 now and empty all bins; the counters continue. With a duration of 0 no bin is open. */
void ff_search_open_first_bin(const struct ff_search_readings *readings, struct ff_search *state, uint64_t bin_ticks,
                              uint64_t now_units);

/* Reset everything except the counters and the last sample. */
void ff_search_forget(const struct ff_search_readings *readings, struct ff_search *state);

/* Set the counters to 0. The caller resets the bins next. */
void ff_search_zero_counters(const struct ff_search_readings *readings, struct ff_search *state);

/* Return floor((now - bin_end) / bin duration) + 1; t_ns is at least gate_ns. */
uint64_t ff_search_passed_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns);

/* End the bins that are over, and open the next bin; t_ns is at least gate_ns. */
void ff_search_advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns);

/* Undo the end of the last bin: reopen it with its bytes. The bin that was open until now is empty. */
void ff_search_reopen(const struct ff_search_readings *readings, struct ff_search *state);

/* Return whether the open bin and the counter have room for the bytes, at most FF_EVENT_MAX_BYTES. */
static inline bool ff_search_has_room(const struct ff_search_series *series, uint64_t bytes)
{
    uint64_t counter_bytes = series->counter_bytes + bytes; /* below 2^63 + 2^48 */

    return counter_bytes - series->opened_bytes <= FF_BIN_MAX_BYTES && counter_bytes <= FF_SEARCH_COUNTER_MAX_BYTES;
}

/* Add bytes to the counter and to the open bin. */
static inline void ff_search_credit(struct ff_search_series *series, uint64_t bytes)
{
    series->counter_bytes += bytes;
}

/* Add bytes to the counter, but to no bin. */
static inline void ff_search_count(struct ff_search_series *series, uint64_t bytes)
{
    series->counter_bytes += bytes;
    series->opened_bytes += bytes;
}

#ifdef __cplusplus
}
#endif

#endif
