/* The first recovery of Rapid Start: reduction factors, their use, and the lower bound (spec/rapid-start/rules.md). */
#ifndef FIRSTFLIGHT_RAPID_START_RECOVERY_H
#define FIRSTFLIGHT_RAPID_START_RECOVERY_H

#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/observables.h"
#include "firstflight/rapid_start/profiles.h"
#include "firstflight/rapid_start/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Factors are integers in units of 1/180, since K is in eighteenths and beta in tenths. */
#define FF_RAPID_START_PARTS UINT64_C(180)

/* Return the lowest window in recovery: the bound, or the minimum window of the current datagram size. */
uint64_t ff_rapid_start_with_minimum(uint64_t bound_bytes, const struct ff_base_state *base);

/* Process an ACK at t_ns in the first recovery, or after it while losses still count. */
enum ff_outcome ff_rapid_start_on_recovery_ack(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                               struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack);

/* Process packets declared lost at t_ns, before or in the first recovery, or after it while losses still count. */
enum ff_outcome ff_rapid_start_on_lost(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                       struct ff_base_state *base, uint64_t t_ns, const struct ff_lost *lost);

/* Process a rise of the ECN-CE counter at t_ns, before or in the first recovery, or after it while losses still count. */
enum ff_outcome ff_rapid_start_on_ce(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                     struct ff_base_state *base, uint64_t t_ns, const struct ff_ce *ce);

#ifdef __cplusplus
}
#endif

#endif
