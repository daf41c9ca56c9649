/* The growth of a window or a rate by (b + 1) / b in each round (spec/transfer-time/rules.md): its factor, as two whole numbers. */
#ifndef FIRSTFLIGHT_TRANSFER_TIME_GROWTH_H
#define FIRSTFLIGHT_TRANSFER_TIME_GROWTH_H

#include <stdint.h>

#include "firstflight/wide.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_transfer_time_growth {
    uint64_t segments_per_ack; /* b */
    uint64_t rounds;
    struct ff_wide numerator;   /* b + 1 to the power of rounds */
    struct ff_wide denominator; /* b to the power of rounds */
};

/* Begin before the first round. */
void ff_transfer_time_begin_growth(struct ff_transfer_time_growth *growth, uint64_t segments_per_ack);

/* Advance by one round. */
void ff_transfer_time_next_round(struct ff_transfer_time_growth *growth);

/* Return the sum of the factors of all rounds up to the next one, times b to the power of `rounds`. */
struct ff_wide ff_transfer_time_sum_to_next(const struct ff_transfer_time_growth *growth);

/* Return the sum of the factors of the rounds so far, times b to the power of `rounds`. */
struct ff_wide ff_transfer_time_sum_so_far(const struct ff_transfer_time_growth *growth);

#ifdef __cplusplus
}
#endif

#endif
