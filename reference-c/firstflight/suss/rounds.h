/* The rounds of SUSS: trains of ACKs, the decision to continue growth, and additional packets (spec/suss/rules.md). */
#ifndef FIRSTFLIGHT_SUSS_ROUNDS_H
#define FIRSTFLIGHT_SUSS_ROUNDS_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/suss/profiles.h"
#include "firstflight/suss/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The last round that may be sped up: at most three rounds are. */
#define FF_SUSS_LAST_ROUND UINT64_C(4)
/* The minimum RTT must exceed this number, in microseconds. */
#define FF_SUSS_LEAST_RTT_US UINT64_C(10000)
/* Limits of counters; the fields of the kernel are narrower or wrap. */
#define FF_SUSS_ROUND_MAX UINT64_C(31)
#define FF_SUSS_BLUE_MAX (UINT64_C(1) << 30)
#define FF_SUSS_TRAIN_MAX_US ((UINT64_C(1) << 32) - 1)
/* The largest exact rate, in units of 2^-24 bytes per microsecond. */
#define FF_SUSS_RATE_MAX (UINT64_C(1) << 43)

/* Update the rounds; return the outcome at the tail of a train, or FF_OUTCOME_UNCHANGED for other ACKs. */
enum ff_outcome ff_suss_follow_rounds(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                                      uint64_t t_ns, const struct ff_ack *ack);

#ifdef __cplusplus
}
#endif

#endif
