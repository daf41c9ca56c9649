/*
 * Natural numbers of up to 1024 bits, for products that 64 bits cannot hold.
 *
 * Products of two 64-bit numbers come from unsigned __int128 where the compiler has it, and from four products of 32-bit
 * halves where it has not or FF_NO_INT128 is defined. Callers prove that nothing exceeds 1024 bits; what would is cut off,
 * and no memory outside the number is touched.
 */
#ifndef FIRSTFLIGHT_WIDE_H
#define FIRSTFLIGHT_WIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FF_WIDE_LIMBS 16

/* Room for the decimal digits of any number here, and the NUL. */
#define FF_WIDE_DECIMAL_SIZE 310

struct ff_wide {
    uint64_t limbs[FF_WIDE_LIMBS]; /* the least significant first; those from `count` on are 0 */
    uint32_t count;                /* of limbs up to the most significant that is not 0 */
};

/* Return the low half of a product and write the high one. */
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

/* Return the remainder alone. */
uint64_t ff_wide_remainder(const struct ff_wide *x, uint64_t divisor);

/* Return a negative number, 0 or a positive one as x is less than, equal to or greater than y. */
int ff_wide_compare(const struct ff_wide *x, const struct ff_wide *y);

/* Write the decimal digits and a NUL; return how many digits. */
size_t ff_wide_decimal(const struct ff_wide *x, char text[FF_WIDE_DECIMAL_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
