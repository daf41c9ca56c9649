/* The growth of a window or a rate, round by round. */
#include "firstflight/transfer_time/growth.h"

void ff_growth_begin(struct ff_growth *growth, uint64_t segments_per_ack)
{
    growth->segments_per_ack = segments_per_ack;
    growth->rounds = 0;
    ff_wide_set(&growth->numerator, 1);
    ff_wide_set(&growth->denominator, 1);
}

void ff_growth_next(struct ff_growth *growth)
{
    growth->rounds++;
    ff_wide_multiply(&growth->numerator, growth->segments_per_ack + 1);
    ff_wide_multiply(&growth->denominator, growth->segments_per_ack);
}

void ff_growth_next_sum(const struct ff_growth *growth, struct ff_wide *sum)
{
    struct ff_wide first = growth->denominator;

    *sum = growth->numerator;
    ff_wide_multiply(sum, growth->segments_per_ack + 1);
    ff_wide_multiply(&first, growth->segments_per_ack);
    ff_wide_subtract(sum, &first);
}

void ff_growth_sum(const struct ff_growth *growth, struct ff_wide *sum)
{
    *sum = growth->numerator;
    ff_wide_subtract(sum, &growth->denominator);
    ff_wide_multiply(sum, growth->segments_per_ack);
}
