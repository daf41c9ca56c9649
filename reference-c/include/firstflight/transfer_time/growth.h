/*
 * The growth of a window or a rate by (b + 1) / b in each round: its factor after some rounds, as two whole numbers.
 */
#ifndef FIRSTFLIGHT_GROWTH_H
#define FIRSTFLIGHT_GROWTH_H

#include <stdint.h>

#include "firstflight/wide.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_growth {
    uint64_t segments_per_ack; /* b */
    uint64_t rounds;
    struct ff_wide numerator;   /* b + 1 to the power of rounds */
    struct ff_wide denominator; /* b to the power of rounds */
};

/* Begin before the first round. */
void ff_growth_begin(struct ff_growth *growth, uint64_t segments_per_ack);

/* Go on by one round. */
void ff_growth_next(struct ff_growth *growth);

/* Write the sum of the factors of all rounds up to the next one, times b to the power of `rounds`. */
void ff_growth_next_sum(const struct ff_growth *growth, struct ff_wide *sum);

/* Write the sum of the factors of the rounds so far, times b to the power of `rounds`. */
void ff_growth_sum(const struct ff_growth *growth, struct ff_wide *sum);

#ifdef __cplusplus
}
#endif

#endif
