/*
 * Memory layout of the state of SEARCH. The caller owns the state. Its size depends on the readings, and nothing beyond
 * the members below is accessed.
 *
 *     struct ff_search       every profile.
 *     struct ff_search_more  if sent bytes are compared, or the exit drains the flight.
 *     delivered bins         ff_search_kept_bins(readings, FF_SEARCH_DELIVERED) slots of seven bytes, little-endian.
 *     sent bins              ff_search_kept_bins(readings, FF_SEARCH_SENT) slots.
 *
 * Bin i is in slot i modulo the number of slots. A slot is written when its bin ends, and never read before.
 */
#ifndef FIRSTFLIGHT_SEARCH_LAYOUT_H
#define FIRSTFLIGHT_SEARCH_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "firstflight/observables.h"
#include "firstflight/search/profiles.h"
#include "firstflight/search/state.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FF_SEARCH_BIN_BYTES 7
/* Size of the state for any readings in 64-bit words: 104 bytes, 49 sent bins and 24 delivered bins. */
#define FF_SEARCH_STATE_WORDS 77

/* Members that only some readings need. */
struct ff_search_more {
    struct ff_search_series sent;
    uint64_t target_bytes;  /* target of the drain, FF_NONE while not draining */
    uint64_t drain_acked;   /* packets or bytes acknowledged since the drain last released a packet */
};

/* Storage for the state of any readings. */
struct ff_search_any {
    uint64_t words[FF_SEARCH_STATE_WORDS];
};

/* Return how many completed bins of a series the readings need. */
uint32_t ff_search_kept_bins(const struct ff_search_readings *readings, enum ff_search_kind kind);

/* Return the size of the state in bytes. The state must be aligned as a uint64_t; shift_maximum_bins is at most 38. */
size_t ff_search_state_bytes(const struct ff_search_readings *readings);

/* Return the slots of a series. Like strchr, this function and ff_search_more discard const, for callers that write. */
uint8_t *ff_search_slots(const struct ff_search_readings *readings, const struct ff_search *state, enum ff_search_kind kind);

/* Return the first time in ns at or after the end of a bin, as the reading `boundary` defines the end. */
uint64_t ff_search_gate_ns(const struct ff_search_readings *readings, uint64_t bin_end_ticks);

/* Return the end of the open bin in ticks; a bin is open. */
uint64_t ff_search_bin_end_ticks(const struct ff_search_readings *readings, const struct ff_search *state);

/* Return the members that only some readings need, or NULL if these readings do not need them. */
static inline struct ff_search_more *ff_search_more(const struct ff_search_readings *readings,
                                                    const struct ff_search *state)
{
    bool needed = readings->compared == FF_SEARCH_COMPARED_SENT || readings->lower == FF_SEARCH_LOWER_DRAIN;

    return needed ? (struct ff_search_more *)state->more : NULL;
}

/* Return the target of the drain, or FF_NONE while not draining. */
static inline uint64_t ff_search_target_bytes(const struct ff_search_readings *readings, const struct ff_search *state)
{
    return readings->lower == FF_SEARCH_LOWER_DRAIN ? ((const struct ff_search_more *)state->more)->target_bytes : FF_NONE;
}

/* Write a slot. */
static inline void ff_search_store(uint8_t *slots, uint32_t slot, uint64_t bytes)
{
    uint8_t *place = slots + (size_t)FF_SEARCH_BIN_BYTES * slot;

    for (int i = 0; i < FF_SEARCH_BIN_BYTES; i++) {
        place[i] = (uint8_t)(bytes >> 8 * i);
    }
}

/* Read a slot. */
static inline uint64_t ff_search_load(const uint8_t *slots, uint32_t slot)
{
    const uint8_t *place = slots + (size_t)FF_SEARCH_BIN_BYTES * slot;
    uint32_t low = (uint32_t)place[0] | (uint32_t)place[1] << 8 | (uint32_t)place[2] << 16 | (uint32_t)place[3] << 24;
    uint32_t high = (uint32_t)place[4] | (uint32_t)place[5] << 8 | (uint32_t)place[6] << 16;

    return (uint64_t)high << 32 | low;
}

#ifdef __cplusplus
}
#endif

#endif
