/* Natural numbers of up to 1024 bits. */
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
    *rest = (*rest << 32) + next - quotient * divisor; /* modulo 2^64; the true remainder fits */
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

static void trim(struct ff_wide *x)
{
    while (x->count > 0 && x->limbs[x->count - 1] == 0) {
        x->count--;
    }
}

void ff_wide_set(struct ff_wide *x, uint64_t value)
{
    for (size_t i = 0; i < FF_WIDE_LIMBS; i++) {
        x->limbs[i] = 0;
    }
    x->limbs[0] = value;
    x->count = value != 0;
}

void ff_wide_multiply(struct ff_wide *x, uint64_t factor)
{
    uint64_t carry = 0;

    for (size_t i = 0; i < x->count; i++) {
        uint64_t high;
        uint64_t low = ff_wide_product(x->limbs[i], factor, &high);
        x->limbs[i] = low + carry;
        carry = high + (x->limbs[i] < low); /* high is at most 2^64 - 2 */
    }
    if (carry > 0 && x->count < FF_WIDE_LIMBS) {
        x->limbs[x->count++] = carry;
    }
    trim(x);
}

struct ff_wide ff_wide_scaled(const struct ff_wide *x, uint64_t a, uint64_t b, uint64_t c)
{
    struct ff_wide result = *x;

    ff_wide_multiply(&result, a);
    ff_wide_multiply(&result, b);
    ff_wide_multiply(&result, c);
    return result;
}

void ff_wide_add(struct ff_wide *x, const struct ff_wide *y)
{
    uint64_t carry = 0;
    uint32_t count = x->count > y->count ? x->count : y->count;

    for (size_t i = 0; i < count; i++) {
        uint64_t sum = x->limbs[i] + carry;
        carry = sum < carry;
        x->limbs[i] = sum + y->limbs[i];
        carry += x->limbs[i] < sum;
    }
    x->count = count;
    if (carry > 0 && count < FF_WIDE_LIMBS) {
        x->limbs[x->count++] = carry;
    }
}

void ff_wide_subtract(struct ff_wide *x, const struct ff_wide *y)
{
    uint64_t borrow = 0;

    for (size_t i = 0; i < x->count; i++) {
        uint64_t before = x->limbs[i];
        uint64_t less = before - y->limbs[i];
        x->limbs[i] = less - borrow;
        borrow = (before < y->limbs[i]) | (less < borrow);
    }
    trim(x);
}

uint64_t ff_wide_divide(struct ff_wide *x, uint64_t divisor)
{
    uint64_t remainder = 0;

    for (size_t i = x->count; i-- > 0;) {
        x->limbs[i] = ff_wide_quotient(remainder, x->limbs[i], divisor, &remainder);
    }
    trim(x);
    return remainder;
}

uint64_t ff_wide_remainder(const struct ff_wide *x, uint64_t divisor)
{
    uint64_t remainder = 0;

    for (size_t i = x->count; i-- > 0;) {
        (void)ff_wide_quotient(remainder, x->limbs[i], divisor, &remainder);
    }
    return remainder;
}

int ff_wide_compare(const struct ff_wide *x, const struct ff_wide *y)
{
    for (size_t i = FF_WIDE_LIMBS; i-- > 0;) {
        if (x->limbs[i] != y->limbs[i]) {
            return x->limbs[i] < y->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

size_t ff_wide_decimal(const struct ff_wide *x, char text[FF_WIDE_DECIMAL_SIZE])
{
    struct ff_wide rest = *x;
    size_t length = 0;

    do {
        uint64_t digits = ff_wide_divide(&rest, UINT64_C(1000000000000000000));
        for (int i = 0; i < 18 && (rest.count > 0 || digits > 0 || length == 0); i++) {
            text[length++] = (char)('0' + digits % 10);
            digits /= 10;
        }
    } while (rest.count > 0);
    text[length] = '\0';
    for (size_t i = 0; i < length / 2; i++) {
        char swapped = text[i];
        text[i] = text[length - 1 - i];
        text[length - 1 - i] = swapped;
    }
    return length;
}
