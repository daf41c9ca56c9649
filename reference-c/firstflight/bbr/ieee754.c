/* Binary floating point of IEEE 754, by integers. Mirrors reference-py/src/firstflight/bbr/ieee754.py. */
#include "firstflight/bbr/ieee754.h"

#include <stdbool.h>

#include "firstflight/wide.h"

/* A significand is stored in so many bits, the first of which is 1. */
#define STORED_BITS 64

/* Return high:low times 2 to the power of the exponent, in the nearest number whose significand has so many bits. It is stored in 64. */
static struct ff_bbr_number rounded_to(uint32_t bits, uint64_t high, uint64_t low, int32_t exponent)
{
    uint64_t step = UINT64_C(1) << (STORED_BITS - bits);
    uint64_t rest;

    if (high == 0 && low == 0) {
        return (struct ff_bbr_number){0, 0};
    }
    if (high == 0) {
        high = low;
        low = 0;
        exponent -= STORED_BITS;
    }
    while (high >> (STORED_BITS - 1) == 0) {
        high = high << 1 | low >> (STORED_BITS - 1);
        low <<= 1;
        exponent--;
    }
    high |= low > 0; /* the last bit says that something was dropped */
    rest = high % step;
    high -= rest;
    if (2 * rest > step || (2 * rest == step && (high & step) != 0)) {
        high += step;
    }
    if (high == 0) { /* all bits were 1 */
        return (struct ff_bbr_number){UINT64_C(1) << (STORED_BITS - 1), exponent + STORED_BITS + 1};
    }
    return (struct ff_bbr_number){high, exponent + STORED_BITS};
}

struct ff_bbr_number ff_bbr_number_of(uint64_t whole, uint32_t bits)
{
    return rounded_to(bits, 0, whole, 0);
}

struct ff_bbr_number ff_bbr_product(struct ff_bbr_number number, struct ff_bbr_number factor, uint32_t bits)
{
    uint64_t high;
    uint64_t low = ff_wide_product(number.significand, factor.significand, &high);

    return rounded_to(bits, high, low, number.exponent + factor.exponent);
}

struct ff_bbr_number ff_bbr_quotient(struct ff_bbr_number number, struct ff_bbr_number divisor, uint32_t bits)
{
    /* Half the number is less than the divisor, which has the first bit. */
    uint64_t rest;
    uint64_t low = (number.significand & 1) << (STORED_BITS - 1);
    uint64_t whole = ff_wide_quotient(number.significand >> 1, low, divisor.significand, &rest);

    return rounded_to(bits, whole, rest > 0, number.exponent - divisor.exponent - 2 * STORED_BITS + 1);
}

uint64_t ff_bbr_truncated(struct ff_bbr_number number)
{
    if (number.exponent > 0) {
        return UINT64_MAX;
    }
    return number.exponent > -STORED_BITS ? number.significand >> -number.exponent : 0;
}

uint64_t ff_bbr_to_nearest(struct ff_bbr_number number)
{
    if (number.exponent >= 0 || number.exponent < -STORED_BITS) {
        return ff_bbr_truncated(number);
    }
    return ((number.significand >> (-number.exponent - 1)) + 1) >> 1;
}
