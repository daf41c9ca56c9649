/* The smaller and the larger of two numbers. */
#ifndef FIRSTFLIGHT_MINMAX_H
#define FIRSTFLIGHT_MINMAX_H

#include <stdint.h>

static inline uint64_t ff_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t ff_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

#endif
