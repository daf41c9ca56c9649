/* Exact fractions. */
#include "firstflight/fraction.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void ff_fraction_set(struct ff_fraction *x, const struct ff_wide *number)
{
    x->numerator = *number;
    ff_wide_set(&x->denominator, 1);
    x->whole = *number;
}

/* Divide the numerator by its common divisor with `divisor`, and multiply the denominator by the rest of `divisor`. */
void ff_fraction_divide(struct ff_fraction *x, uint64_t divisor, uint64_t times)
{
    for (uint64_t i = 0; i < times && divisor > 1; i++) {
        uint64_t common = common_divisor(divisor, ff_wide_remainder(&x->numerator, divisor));

        (void)ff_wide_divide(&x->numerator, common);
        ff_wide_multiply(&x->denominator, divisor / common);
        (void)ff_wide_divide(&x->whole, divisor); /* successive floors equal the floor of the whole quotient */
    }
}
