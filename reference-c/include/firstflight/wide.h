/*
 * Products that 64 bits cannot hold.
 *
 * Products of two 64-bit numbers come from unsigned __int128 where the compiler has it, and from four products of 32-bit
 * halves where it has not or FF_NO_INT128 is defined.
 */
#ifndef FIRSTFLIGHT_WIDE_H
#define FIRSTFLIGHT_WIDE_H

#include <stdint.h>

/* A number of 128 bits. */
struct ff_u128 {
    uint64_t hi;
    uint64_t lo;
};

/* Return the low half of a product and write the high one. */
uint64_t ff_wide_product(uint64_t a, uint64_t b, uint64_t *high);

/* Return high:low / divisor and write the remainder; high is less than the divisor. */
uint64_t ff_wide_quotient(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder);

/* Return a product of two factors. */
struct ff_u128 ff_mul_64_64(uint64_t a, uint64_t b);

/* Return a product with a wide factor; one that exceeds 128 bits is the largest number. */
struct ff_u128 ff_mul_128_64(struct ff_u128 a, uint64_t b);

/* Return a sum that fits in 128 bits. */
struct ff_u128 ff_add_128(struct ff_u128 a, struct ff_u128 b);

/* Return a negative number, 0 or a positive one as a is less than, equal to or greater than b. */
int ff_compare_128(struct ff_u128 a, struct ff_u128 b);

#endif
