/* Numbers of 128 bits. */
#include "firstflight/u128.h"

#include "firstflight/wide.h"

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
