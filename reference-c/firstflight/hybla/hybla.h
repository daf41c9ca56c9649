/*
 * The window rules of Hybla (spec/hybla/rules.md): growth of the base controller in slow start and congestion
 * avoidance, in every profile.
 *
 * newreno keeps the windows and calls the hooks of ff_hybla_rules.
 */
#ifndef FIRSTFLIGHT_HYBLA_H
#define FIRSTFLIGHT_HYBLA_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/hybla/profiles.h"
#include "firstflight/window_rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Units of 1. In eighths, 2^rho and the credit of growth are multiples of 1/65536, otherwise, like roots of two, of
 * 1/2^30. */
#define FF_HYBLA_ONE UINT64_C(65536)
#define FF_HYBLA_FINE_BITS 30
/* The largest rho, and the largest exponent of the power. */
#define FF_HYBLA_RHO_LIMIT UINT64_C(256)
#define FF_HYBLA_EXPONENT_MAX UINT64_C(16)
/* The largest window of Linux, in datagrams. */
#define FF_HYBLA_DATAGRAMS_MAX UINT64_C(65535)

struct ff_hybla {
    struct ff_hybla_readings readings;
    uint64_t smallest_ns; /* the smallest RTT that counts, FF_NO_RTT_NS before the first */
    uint64_t credit;      /* rest of growth below a datagram: 65536ths in eighths, otherwise 2^30ths */
};

/* Initialise the state of a new connection. */
void ff_hybla_begin(struct ff_hybla *state, const struct ff_hybla_readings *readings);

/* Initialise the state of a new connection under a startup algorithm. */
void ff_hybla_carry(struct ff_hybla *state, const struct ff_hybla_readings *readings);

/* Return rho in 65536ths, rounded down: below 2^24. */
uint64_t ff_hybla_rho(const struct ff_hybla *state);

/* The rules; their state is a struct ff_hybla. */
extern const struct ff_window_rules ff_hybla_rules;

#ifdef __cplusplus
}
#endif

#endif
