/* Loss and recovery of JumpStart: the reduction, R, and the window at the end (spec/jumpstart/rules.md). */
#ifndef FIRSTFLIGHT_JUMPSTART_LOSS_H
#define FIRSTFLIGHT_JUMPSTART_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/jumpstart/profiles.h"
#include "firstflight/jumpstart/state.h"
#include "firstflight/observables.h"
#include "firstflight/newreno/newreno.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Count retransmissions in a recovery. Whether its end is accounted for may be decided later. */
void ff_jumpstart_count_repeats(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                const struct ff_base_state *base, const struct ff_sent *sent);

/* Process packets declared lost at t_ns. in_flight_bytes is still the value before the loss. */
enum ff_outcome ff_jumpstart_on_lost(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                     struct ff_base_state *base, uint64_t t_ns, const struct ff_lost *lost);

/* Process a rise of the ECN-CE counter at t_ns. */
enum ff_outcome ff_jumpstart_on_ce(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                   struct ff_base_state *base, uint64_t t_ns, const struct ff_ce *ce);

/* Return whether an ACK that arrives in recovery ends it. */
bool ff_jumpstart_recovery_ended(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                                 const struct ff_base_state *base, const struct ff_ack *ack);

/* Set the window at the end of the recovery that repaired the first flight. */
void ff_jumpstart_account(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                          struct ff_base_state *base);

/* Count the bytes of an ACK whose largest packet belongs to the flight. */
void ff_jumpstart_count_acked(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                              const struct ff_ack *ack);

/* Raise the window to the acknowledged share of the flight, if `last` belongs to it; return whether it was raised. */
bool ff_jumpstart_raise_to_share(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                                 struct ff_base_state *base, const struct ff_run *last);

/* Process persistent congestion, the equivalent of a TCP timeout. */
enum ff_outcome ff_jumpstart_on_timeout(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                        struct ff_base_state *base);

#ifdef __cplusplus
}
#endif

#endif
