/*
 * Natural numbers of up to 1024 bits, for products that 64 bits cannot hold.
 *
 * Products of two 64-bit numbers use unsigned __int128. Without that type, or if FF_NO_INT128 is defined, they use four
 * products of 32-bit halves. Callers prove that no number exceeds 1024 bits; higher bits are cut off, and no memory
 * outside the number is accessed.
 */
#ifndef FIRSTFLIGHT_WIDE_H
#define FIRSTFLIGHT_WIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FF_WIDE_LIMBS 16

/* Size of a buffer for the decimal digits of any number, and the NUL. */
#define FF_WIDE_DECIMAL_SIZE 310

struct ff_wide {
    uint64_t limbs[FF_WIDE_LIMBS]; /* least significant limb first; limbs from `count` on are 0 */
    uint32_t count;                /* number of limbs up to the most significant nonzero limb */
};

/* Return the low half of a product and write the high half. */
uint64_t ff_wide_product(uint64_t a, uint64_t b, uint64_t *high);

/* Return high:low / divisor and write the remainder; high is less than the divisor. */
uint64_t ff_wide_quotient(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder);

void ff_wide_set(struct ff_wide *x, uint64_t value);
void ff_wide_multiply(struct ff_wide *x, uint64_t factor);
void ff_wide_add(struct ff_wide *x, const struct ff_wide *y);

/* Return the product of a number and three factors. */
struct ff_wide ff_wide_scaled(const struct ff_wide *x, uint64_t a, uint64_t b, uint64_t c);

/* Subtract a number that is not larger. */
void ff_wide_subtract(struct ff_wide *x, const struct ff_wide *y);

/* Divide by a number that is not 0, rounding down; return the remainder. */
uint64_t ff_wide_divide(struct ff_wide *x, uint64_t divisor);

/* Return only the remainder. */
uint64_t ff_wide_remainder(const struct ff_wide *x, uint64_t divisor);

/* Return a negative number, 0 or a positive one as x is less than, equal to or greater than y. */
int ff_wide_compare(const struct ff_wide *x, const struct ff_wide *y);

/* Write the decimal digits and a NUL; return the number of digits. */
size_t ff_wide_decimal(const struct ff_wide *x, char text[FF_WIDE_DECIMAL_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
