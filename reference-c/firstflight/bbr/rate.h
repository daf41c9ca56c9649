/* Rates as fractions, and their arithmetic (spec/bbr/rules.md). */
#ifndef FIRSTFLIGHT_BBR_RATE_H
#define FIRSTFLIGHT_BBR_RATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes per time, compared exactly. A rate with an interval of 0 is infinite. */
struct ff_bbr_rate {
    uint64_t delivered_bytes; /* at most FF_WINDOW_MAX_BYTES */
    uint64_t interval_ns;     /* at most FF_TIME_MAX_NS */
};

/* A rate, and the round of its sample. */
struct ff_bbr_round_rate {
    uint64_t round_count;
    struct ff_bbr_rate rate;
};

/* Number of stored rates of the last ten rounds, the largest first. */
#define FF_BBR_KEPT 3

extern const struct ff_bbr_rate ff_bbr_rate_zero;
extern const struct ff_bbr_rate ff_bbr_rate_infinite;

/* Return amount * factor / divisor, rounded down, at most the largest window. The divisor is not 0. */
uint64_t ff_bbr_over(uint64_t amount, uint64_t factor, uint64_t divisor);

/* Return whether a rate is larger than another. */
bool ff_bbr_exceeds(struct ff_bbr_rate rate, struct ff_bbr_rate other);

/* Return the larger or the smaller of two rates, the first of two equal ones. */
struct ff_bbr_rate ff_bbr_larger(struct ff_bbr_rate rate, struct ff_bbr_rate other);
struct ff_bbr_rate ff_bbr_smaller(struct ff_bbr_rate rate, struct ff_bbr_rate other);

/* Return whether a rate is at least 5/4 of a baseline. */
bool ff_bbr_has_grown(struct ff_bbr_rate rate, struct ff_bbr_rate baseline);

/* Return the bytes that a finite rate delivers in a time. */
uint64_t ff_bbr_volume_bytes(struct ff_bbr_rate rate, uint64_t time_ns);

/* Return a volume or a rate times Beta, 7/10, with its bytes rounded down. */
uint64_t ff_bbr_reduced_bytes(uint64_t volume);
struct ff_bbr_rate ff_bbr_reduced(struct ff_bbr_rate rate);

#ifdef __cplusplus
}
#endif

#endif
