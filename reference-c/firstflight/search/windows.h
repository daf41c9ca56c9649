/* The windows of SEARCH and their comparison (spec/search/rules.md, section Evaluation). */
#ifndef FIRSTFLIGHT_SEARCH_WINDOWS_H
#define FIRSTFLIGHT_SEARCH_WINDOWS_H

#include <stdint.h>

#include "firstflight/observables.h"
#include "firstflight/search/bins.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What an evaluation computed; FF_NONE where it did not come that far. previous_bytes is rounded down. Without an
 * evaluation only shift_bins has a value, FF_NONE.
 */
struct ff_search_evaluation {
    uint64_t shift_bins;
    uint64_t current_bytes;
    uint64_t previous_bytes;
};

/*
 * Return the counter of delivered bytes as it was when the bin of that age began; now, if the age is less than 0. The
 * readings keep that bin, or it is older than bin 0 and counts as bin 0.
 */
uint64_t ff_search_delivered_bytes(const struct ff_search_readings *readings, const struct ff_search *state, int age);

/* Return the RTT in whole bins, and write the ticks left over where the reading rounds down. */
uint64_t ff_search_shift_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t *rest_ticks);

/* Return by how many bits the counters are shifted right: the least with which the largest fits. */
unsigned ff_search_scale_bits(const struct ff_search_readings *readings, const struct ff_search *state);

/* Compare the two windows, and write what was computed; a bin is open. */
enum ff_outcome ff_search_evaluate(const struct ff_search_readings *readings, const struct ff_search *state,
                                   struct ff_search_evaluation *evaluation);

#ifdef __cplusplus
}
#endif

#endif
