/* Products that 64 bits cannot hold. */
#include "firstflight/wide.h"

#define HALF_MASK UINT64_C(0xFFFFFFFF)
#define HALF (UINT64_C(1) << 32)

#if defined(__SIZEOF_INT128__) && !defined(FF_NO_INT128)

__extension__ typedef unsigned __int128 wide_product;

uint64_t ff_wide_product(uint64_t a, uint64_t b, uint64_t *high)
{
    wide_product product = (wide_product)a * b;

    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

#else

uint64_t ff_wide_product(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t a_low = a & HALF_MASK, a_high = a >> 32;
    uint64_t b_low = b & HALF_MASK, b_high = b >> 32;
    uint64_t low = a_low * b_low;
    /* Each sum is at most (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
    uint64_t middle = a_high * b_low + (low >> 32);
    uint64_t other = a_low * b_high + (middle & HALF_MASK);

    *high = a_high * b_high + (middle >> 32) + (other >> 32);
    return (other << 32) | (low & HALF_MASK);
}

#endif

/*
 * One 32-bit digit of a quotient: *rest and the next 32 bits of the dividend over a divisor whose top bit is set.
 * The estimate from the top half of the divisor is at most 2 too large (Knuth, volume 2, section 4.3.1, theorem B).
 */
static uint64_t digit(uint64_t *rest, uint64_t next, uint64_t divisor)
{
    uint64_t top = divisor >> 32, bottom = divisor & HALF_MASK;
    uint64_t quotient = *rest / top;
    uint64_t left = *rest % top;

    while (quotient >= HALF || quotient * bottom > (left << 32) + next) {
        quotient--;
        left += top;
        if (left >= HALF) {
            break;
        }
    }
    *rest = (*rest << 32) + next - quotient * divisor; /* modulo 2^64, in which the true rest fits */
    return quotient;
}

uint64_t ff_wide_quotient(uint64_t high, uint64_t low, uint64_t divisor, uint64_t *remainder)
{
    unsigned shift = 0;

    if (high == 0) {
        *remainder = low % divisor;
        return low / divisor;
    }
    while (divisor >> 63 == 0) {
        divisor <<= 1;
        shift++;
    }
    if (shift > 0) {
        high = (high << shift) | (low >> (64 - shift));
        low <<= shift;
    }
    uint64_t upper = digit(&high, low >> 32, divisor);
    uint64_t lower = digit(&high, low & HALF_MASK, divisor);
    *remainder = high >> shift;
    return (upper << 32) + lower;
}

struct ff_u128 ff_mul_64_64(uint64_t a, uint64_t b)
{
    struct ff_u128 product;

    product.lo = ff_wide_product(a, b, &product.hi);
    return product;
}

struct ff_u128 ff_mul_128_64(struct ff_u128 a, uint64_t b)
{
    struct ff_u128 low = ff_mul_64_64(a.lo, b);
    struct ff_u128 high = ff_mul_64_64(a.hi, b);
    struct ff_u128 product = {high.lo + low.hi, low.lo};

    if (high.hi > 0 || product.hi < low.hi) {
        product.hi = UINT64_MAX;
        product.lo = UINT64_MAX;
    }
    return product;
}

struct ff_u128 ff_add_128(struct ff_u128 a, struct ff_u128 b)
{
    struct ff_u128 sum = {a.hi + b.hi, a.lo + b.lo};

    sum.hi += sum.lo < a.lo;
    return sum;
}

int ff_compare_128(struct ff_u128 a, struct ff_u128 b)
{
    if (a.hi != b.hi) {
        return a.hi < b.hi ? -1 : 1;
    }
    return (a.lo > b.lo) - (a.lo < b.lo);
}
