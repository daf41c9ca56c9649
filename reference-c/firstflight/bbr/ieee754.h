/*
 * Binary floating point of IEEE 754, by integers: what stacks compute with gains that are no integers (spec/bbr/rules.md). Results are
 * rounded to the nearest number, and halfway to the even one. Numbers are not negative and never become too large or too small: 64-bit
 * integers and constants, with few operations.
 */
#ifndef FIRSTFLIGHT_BBR_IEEE754_H
#define FIRSTFLIGHT_BBR_IEEE754_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of a significand: binary32 and binary64. */
#define FF_BBR_SINGLE_BITS 24
#define FF_BBR_DOUBLE_BITS 53

/* `significand` times 2 to the power of `exponent`. The significand is from 2^63 to 2^64 - 1, and 0 for 0. */
struct ff_bbr_number {
    uint64_t significand;
    int32_t exponent;
};

/* Return the number nearest to an integer. */
struct ff_bbr_number ff_bbr_number_of(uint64_t whole, uint32_t bits);

/* Return a product. */
struct ff_bbr_number ff_bbr_product(struct ff_bbr_number number, struct ff_bbr_number factor, uint32_t bits);

/* Return a quotient. The divisor is not 0. */
struct ff_bbr_number ff_bbr_quotient(struct ff_bbr_number number, struct ff_bbr_number divisor, uint32_t bits);

/* Return the integer below, at most 2^64 - 1. */
uint64_t ff_bbr_truncated(struct ff_bbr_number number);

/* Return the nearest integer, halfway the larger one, at most 2^64 - 1. */
uint64_t ff_bbr_to_nearest(struct ff_bbr_number number);

#ifdef __cplusplus
}
#endif

#endif
