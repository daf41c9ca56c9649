/* Numbers of 128 bits, for the comparison of two windows. */
#ifndef FIRSTFLIGHT_U128_H
#define FIRSTFLIGHT_U128_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number of 128 bits. */
struct ff_u128 {
    uint64_t hi;
    uint64_t lo;
};

/* Return a product of two factors. */
struct ff_u128 ff_mul_64_64(uint64_t a, uint64_t b);

/* Return a product with a wide factor; a product that exceeds 128 bits saturates at the largest number. */
struct ff_u128 ff_mul_128_64(struct ff_u128 a, uint64_t b);

/* Return a sum that fits in 128 bits. */
struct ff_u128 ff_add_128(struct ff_u128 a, struct ff_u128 b);

/* Return a negative number, 0 or a positive one as a is less than, equal to or greater than b. */
int ff_compare_128(struct ff_u128 a, struct ff_u128 b);

#ifdef __cplusplus
}
#endif

#endif
