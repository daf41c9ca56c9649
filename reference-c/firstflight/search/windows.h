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
 * Values of an evaluation, FF_NONE if it ended before them. previous_bytes is rounded down. Without an evaluation
 * shift_bins is FF_NONE and the other members are not set.
 */
struct ff_search_evaluation {
    uint64_t shift_bins;
    uint64_t current_bytes;
    uint64_t previous_bytes;
};

/*
 * Return the counter of delivered bytes at the beginning of the bin of that age, or its present value for a negative
 * age. The readings keep that bin; a bin before bin 0 counts as bin 0.
 */
uint64_t ff_search_delivered_bytes(const struct ff_search_readings *readings, const struct ff_search *state, int age);

/* Return the RTT in whole bins, and store its remainder in ticks for readings that round down. */
uint64_t ff_search_shift_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t *rest_ticks);

/* Return the right shift of the counters in bits: the smallest shift that makes the largest counter fit. */
unsigned ff_search_scale_bits(const struct ff_search_readings *readings, const struct ff_search *state);

/* Compare the two windows, and store the computed values; a bin is open. */
enum ff_outcome ff_search_evaluate(const struct ff_search_readings *readings, const struct ff_search *state,
                                   struct ff_search_evaluation *evaluation);

#ifdef __cplusplus
}
#endif

#endif
