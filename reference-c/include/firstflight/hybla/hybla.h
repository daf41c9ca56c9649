/*
 * Hybla (spec/hybla.md) on top of the base controller, in every profile of hybla/profiles.h: slow start and congestion avoidance.
 *
 * The functions trust their arguments: events are such as ff_event_check accepts, and times do not decrease.
 */
#ifndef FIRSTFLIGHT_HYBLA_H
#define FIRSTFLIGHT_HYBLA_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/hybla/profiles.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of one: rho, 2^rho and what growth leaves are multiples of 1/65536, and roots of two of 1/2^30. */
#define FF_HYBLA_ONE UINT64_C(65536)
#define FF_HYBLA_ROOT_BITS 30
/* The largest rho, and the largest exponent of which the power is taken. */
#define FF_HYBLA_RHO_LIMIT UINT64_C(256)
#define FF_HYBLA_EXPONENT_MAX UINT64_C(16)
/* Linux has no window of more datagrams. */
#define FF_HYBLA_DATAGRAMS_MAX UINT64_C(65535)

struct ff_hybla {
    uint64_t initial_bytes; /* the initial window */
    uint64_t smallest_ns;   /* the smallest RTT of those that count, FF_NO_RTT_NS before the first */
    uint64_t credit;        /* what growth has left: 65536ths of a datagram or of a byte */
};

/* Fill in the state before the first event. */
void ff_hybla_begin(const struct ff_hybla_readings *readings, struct ff_hybla *state, const struct ff_newreno *base);

/* Process one event with Hybla in the given readings. */
void ff_hybla_step(const struct ff_hybla_readings *readings, struct ff_hybla *state, struct ff_newreno *base,
                   const struct ff_event *event, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
