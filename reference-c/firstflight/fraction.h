/* Exact fractions whose denominator is a product of 64-bit numbers, like Python's Fraction. */
#ifndef FIRSTFLIGHT_FRACTION_H
#define FIRSTFLIGHT_FRACTION_H

#include "firstflight/wide.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_fraction {
    struct ff_wide numerator; /* in lowest terms with the denominator */
    struct ff_wide denominator;
    struct ff_wide whole; /* the fraction rounded down */
};

/* Begin with a whole number. */
void ff_fraction_set(struct ff_fraction *x, const struct ff_wide *number);

/* Divide by the divisor, which is not 0, to the power of `times`. */
void ff_fraction_divide(struct ff_fraction *x, uint64_t divisor, uint64_t times);

#ifdef __cplusplus
}
#endif

#endif
