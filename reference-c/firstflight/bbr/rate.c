/* Rates as fractions. Mirrors reference-py/src/firstflight/bbr/rate.py. */
#include "firstflight/bbr/rate.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/u128.h"
#include "firstflight/wide.h"

const struct ff_bbr_rate ff_bbr_rate_zero = {0, 1};
const struct ff_bbr_rate ff_bbr_rate_infinite = {1, 0};

uint64_t ff_bbr_over(uint64_t amount, uint64_t factor, uint64_t divisor)
{
    uint64_t high, rest;
    uint64_t low = ff_wide_product(amount, factor, &high);

    if (high >= divisor) {
        return FF_WINDOW_MAX_BYTES; /* the quotient has more than 64 bits */
    }
    return ff_min(ff_wide_quotient(high, low, divisor, &rest), FF_WINDOW_MAX_BYTES); /* [bbr.rounding.down] */
}

bool ff_bbr_exceeds(struct ff_bbr_rate rate, struct ff_bbr_rate other)
{
    return ff_compare_128(ff_mul_64_64(rate.delivered_bytes, other.interval_ns),
                          ff_mul_64_64(other.delivered_bytes, rate.interval_ns)) > 0;
}

struct ff_bbr_rate ff_bbr_larger(struct ff_bbr_rate rate, struct ff_bbr_rate other)
{
    return ff_bbr_exceeds(other, rate) ? other : rate;
}

struct ff_bbr_rate ff_bbr_smaller(struct ff_bbr_rate rate, struct ff_bbr_rate other)
{
    return ff_bbr_exceeds(rate, other) ? other : rate;
}

bool ff_bbr_has_grown(struct ff_bbr_rate rate, struct ff_bbr_rate baseline)
{
    /* Both products are below 2^121, and five times as much below 2^124. */
    struct ff_u128 grown = ff_mul_128_64(ff_mul_64_64(rate.delivered_bytes, baseline.interval_ns), 4);
    struct ff_u128 least = ff_mul_128_64(ff_mul_64_64(baseline.delivered_bytes, rate.interval_ns), 5);

    return ff_compare_128(grown, least) >= 0;
}

uint64_t ff_bbr_volume_bytes(struct ff_bbr_rate rate, uint64_t time_ns)
{
    return ff_bbr_over(rate.delivered_bytes, time_ns, rate.interval_ns);
}

uint64_t ff_bbr_reduced_bytes(uint64_t volume)
{
    return volume / 10 * 7 + volume % 10 * 7 / 10; /* [bbr.short-term.beta] */
}

struct ff_bbr_rate ff_bbr_reduced(struct ff_bbr_rate rate)
{
    rate.delivered_bytes = ff_bbr_reduced_bytes(rate.delivered_bytes); /* [bbr.rounding.beta] */
    return rate;
}
