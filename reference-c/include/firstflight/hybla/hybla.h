/*
 * The law of Hybla (spec/hybla.md): how the base controller grows in slow start and in congestion avoidance, in every profile.
 *
 * newreno carries the windows and asks here.
 */
#ifndef FIRSTFLIGHT_HYBLA_H
#define FIRSTFLIGHT_HYBLA_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/hybla/profiles.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parts of one: in eighths 2^rho and what growth leaves are multiples of 1/65536, otherwise of 1/2^30, as roots of two are. */
#define FF_HYBLA_ONE UINT64_C(65536)
#define FF_HYBLA_FINE_BITS 30
/* The largest rho, and the largest exponent of which the power is taken. */
#define FF_HYBLA_RHO_LIMIT UINT64_C(256)
#define FF_HYBLA_EXPONENT_MAX UINT64_C(16)
/* Linux has no window of more datagrams. */
#define FF_HYBLA_DATAGRAMS_MAX UINT64_C(65535)

struct ff_hybla {
    struct ff_hybla_readings readings;
    uint64_t smallest_ns; /* the smallest RTT of those that count, FF_NO_RTT_NS before the first */
    uint64_t credit;      /* what growth has left of a datagram: 65536ths in eighths, otherwise 2^30ths */
};

/* The windows of the base, in bytes. */
struct ff_hybla_windows {
    uint64_t datagram_bytes;
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes; /* or FF_SSTHRESH_INFINITE */
};

/* Fill in the state of a new connection. */
void ff_hybla_begin(struct ff_hybla *state, const struct ff_hybla_readings *readings);

/* Return rho in 65536ths, rounded down: below 2^24. */
uint64_t ff_hybla_rho(const struct ff_hybla *state);

/* Remember the RTT of an ACK if it is the smallest. */
void ff_hybla_take_sample(struct ff_hybla *state, const struct ff_ack *ack);

/*
 * Let acknowledged packets grow the window, in slow start or in congestion avoidance; return it. Only those count that were sent
 * after `recovery_start_ns`, or all of them if that is FF_NONE.
 */
uint64_t ff_hybla_on_acked(struct ff_hybla *state, const struct ff_hybla_windows *windows, const struct ff_ack *ack,
                           uint64_t recovery_start_ns, bool slow);

#ifdef __cplusplus
}
#endif

#endif
