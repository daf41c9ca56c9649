/* The growth of a window or a rate, round by round. Mirrors reference-py/src/firstflight/transfer_time/growth.py. */
#include "firstflight/transfer_time/growth.h"

void ff_transfer_time_begin_growth(struct ff_transfer_time_growth *growth, uint64_t segments_per_ack)
{
    growth->segments_per_ack = segments_per_ack;
    growth->rounds = 0;
    ff_wide_set(&growth->numerator, 1);
    ff_wide_set(&growth->denominator, 1);
}

void ff_transfer_time_next_round(struct ff_transfer_time_growth *growth)
{
    growth->rounds++;
    ff_wide_multiply(&growth->numerator, growth->segments_per_ack + 1);
    ff_wide_multiply(&growth->denominator, growth->segments_per_ack);
}

struct ff_wide ff_transfer_time_sum_to_next(const struct ff_transfer_time_growth *growth)
{
    struct ff_wide sum = ff_wide_scaled(&growth->numerator, growth->segments_per_ack + 1, 1, 1);
    struct ff_wide first = ff_wide_scaled(&growth->denominator, growth->segments_per_ack, 1, 1);

    ff_wide_subtract(&sum, &first);
    return sum;
}

struct ff_wide ff_transfer_time_sum_so_far(const struct ff_transfer_time_growth *growth)
{
    struct ff_wide sum = growth->numerator;

    ff_wide_subtract(&sum, &growth->denominator);
    ff_wide_multiply(&sum, growth->segments_per_ack);
    return sum;
}
