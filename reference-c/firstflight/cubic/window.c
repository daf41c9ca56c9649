/* The arithmetic of CUBIC. Mirrors reference-py/src/firstflight/cubic/window.py. */
#include "firstflight/cubic/window.h"

#include "firstflight/limits.h"

/* 5 * 10^27 in two factors: 10^27 ns^3 is a second cubed, and C is 2/5. */
#define CUBE_DIVISOR_UPPER UINT64_C(5000000000)
#define CUBE_DIVISOR_LOWER UINT64_C(1000000000000000000)

/* Roots are below 2^52: (2^62 - 1) * 5 * 10^27 / 2 < 2^156. */
#define ROOT_BITS 52

/* At this distance from K the curve exceeds every window: 2 * 2^156 / (5 * 10^27) > 2^62. */
#define DISTANCE_MAX_NS (UINT64_C(1) << 52)

uint64_t ff_cubic_seven_tenths(uint64_t count)
{
    return count / 10 * 7 + count % 10 * 7 / 10;
}

uint64_t ff_cubic_seventeen_twentieths(uint64_t count)
{
    return count / 20 * 17 + count % 20 * 17 / 20;
}

static struct ff_wide cube(uint64_t factor)
{
    struct ff_wide product;

    ff_wide_set(&product, factor);
    ff_wide_multiply(&product, factor);
    ff_wide_multiply(&product, factor);
    return product;
}

uint64_t ff_cubic_cube_root(const struct ff_wide *number)
{
    uint64_t root = 0;

    for (unsigned bit = ROOT_BITS; bit-- > 0;) {
        uint64_t candidate = root | UINT64_C(1) << bit;
        struct ff_wide candidate_cubed = cube(candidate);
        if (ff_wide_compare(&candidate_cubed, number) <= 0) {
            root = candidate;
        }
    }
    return root;
}

uint64_t ff_cubic_cube_time_ns(uint64_t distance_bytes, uint64_t datagram_bytes)
{
    struct ff_wide cubed;

    ff_wide_set(&cubed, distance_bytes);
    ff_wide_multiply(&cubed, CUBE_DIVISOR_UPPER);
    ff_wide_multiply(&cubed, CUBE_DIVISOR_LOWER);
    (void)ff_wide_divide(&cubed, 2 * datagram_bytes);
    return ff_cubic_cube_root(&cubed); /* [cubic.root] */
}

/* Return the distance of the curve from W_max at a distance from K, at most FF_WINDOW_MAX_BYTES. */
static uint64_t distance_bytes(uint64_t datagram_bytes, uint64_t distance_ns)
{
    if (distance_ns >= DISTANCE_MAX_NS) {
        return FF_WINDOW_MAX_BYTES;
    }
    struct ff_wide distance = cube(distance_ns); /* below 2^156 */
    ff_wide_multiply(&distance, 2 * datagram_bytes); /* [cubic.window] [cubic.window.constant] */
    (void)ff_wide_divide(&distance, CUBE_DIVISOR_LOWER);
    (void)ff_wide_divide(&distance, CUBE_DIVISOR_UPPER);
    if (distance.count > 1 || distance.limbs[0] > FF_WINDOW_MAX_BYTES) {
        return FF_WINDOW_MAX_BYTES;
    }
    return distance.limbs[0];
}

uint64_t ff_cubic_window_bytes(uint64_t w_max_bytes, uint64_t k_ns, uint64_t datagram_bytes, uint64_t t_ns)
{
    if (t_ns < k_ns) {
        uint64_t below_bytes = distance_bytes(datagram_bytes, k_ns - t_ns);

        return below_bytes < w_max_bytes ? w_max_bytes - below_bytes : 0; /* [cubic.window.concave] */
    }
    /* Two windows: below 2^63. */
    uint64_t window_bytes = w_max_bytes + distance_bytes(datagram_bytes, t_ns - k_ns);
    return window_bytes < FF_WINDOW_MAX_BYTES ? window_bytes : FF_WINDOW_MAX_BYTES;
}

struct ff_cubic_bytes ff_cubic_share(uint64_t acked_bytes, uint64_t distance_bytes, uint64_t cwnd_bytes)
{
    struct ff_cubic_bytes result;
    uint64_t high, rest;
    uint64_t low = ff_wide_product(acked_bytes, distance_bytes, &high);

    /* acked <= cwnd: the quotient is at most the distance, and the rest is below 2^62. */
    result.whole = ff_wide_quotient(high, low, cwnd_bytes, &rest);
    result.fraction = ff_wide_quotient(rest >> 32, rest << 32, cwnd_bytes, &rest);
    return result;
}

uint64_t ff_cubic_friendly_increase(uint64_t datagram_bytes, uint64_t acked_bytes, uint64_t cwnd_bytes, bool reached)
{
    uint64_t high, rest;
    /* At most 9 * (2^16 - 1) * (2^48 - 1) < 2^68: 4 bits are high, and 32 more after the shift. */
    uint64_t low = ff_wide_product((reached ? 1 : 9) * datagram_bytes, acked_bytes, &high);
    /* acked <= cwnd: the quotient is below 2^52. */
    uint64_t increase = ff_wide_quotient(high << 32 | low >> 32, low << 32, cwnd_bytes, &rest);

    if (reached) {
        return increase; /* [cubic.friendly.alpha-one] */
    }
    return increase / 17; /* [cubic.friendly.alpha] */
}
