/*
 * NewReno in bytes (spec/slow-start/rules.md; RFC 9002, section 7, appendix B), and what every base controller has of it.
 *
 * Recovery periods are the same for all bases. How the window grows and what a reduction leaves are rules of NewReno where the rules of
 * the base have no other (window_rules.h).
 *
 * The functions trust their arguments: ff_controller_step checks events before they come here.
 */
#ifndef FIRSTFLIGHT_SLOW_START_H
#define FIRSTFLIGHT_SLOW_START_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/bases.h"
#include "firstflight/events.h"
#include "firstflight/observables.h"
#include "firstflight/newreno/profiles.h"
#include "firstflight/rare.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_base_state {
    uint64_t max_datagram_size_bytes; /* 1..FF_DATAGRAM_MAX_BYTES */
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;    /* or FF_SSTHRESH_INFINITE */
    uint64_t recovery_start_ns; /* of the last recovery period; FF_NONE: none since the start or persistent congestion */
    bool in_recovery;           /* no packet sent after it has been acknowledged yet */
    uint8_t growth;             /* what the growth counts: FF_NEWRENO_GROWTH_... */
    uint8_t base;               /* whose rules hold: FF_BASE_... */
    union ff_rules_state rules_state;
};

/* Return the initial window of RFC 9002, section 7.2, in bytes. */
uint64_t ff_newreno_recommended_initial_window_bytes(uint64_t max_datagram_size_bytes);

/* Return the smallest window that a reduction leaves, in bytes. */
uint64_t ff_newreno_minimum_window_bytes(const struct ff_base_state *state);

/* Fill in the state of a new connection of RFC 9002. An initial window of 0 asks for the recommended one. */
void ff_newreno_begin(struct ff_base_state *state, uint64_t max_datagram_size_bytes, uint64_t initial_window_bytes);

/* Set windows and recovery back to the values of a new connection, whose initial window is given. */
void ff_newreno_reset(struct ff_base_state *state, uint64_t initial_window_bytes);

/* Put a connection that has seen no event on the rules of another base, whose state the caller begins. */
void ff_newreno_use_rules(struct ff_base_state *state, enum ff_base base);

/* Return the phase: recovery, else slow start below the threshold, else congestion avoidance. */
enum ff_phase ff_newreno_phase(const struct ff_base_state *state);

/* Process packets being sent. */
enum ff_outcome ff_newreno_on_sent(struct ff_base_state *state, uint64_t t_ns, const struct ff_sent *sent);

/* Process an expired probe timer. */
enum ff_outcome ff_newreno_on_pto(const struct ff_base_state *state);

/* Process the packets newly acknowledged at t_ns, in rising order; the outcome is that of the last. */
enum ff_outcome ff_newreno_on_ack(struct ff_base_state *state, uint64_t t_ns, const struct ff_ack *ack);

/* Process packets declared lost at t_ns. */
enum ff_outcome ff_newreno_on_lost(struct ff_base_state *state, uint64_t t_ns, const struct ff_lost *lost);

/* Process a rise of the ECN-CE counter at t_ns. */
enum ff_outcome ff_newreno_on_ce(struct ff_base_state *state, uint64_t t_ns, const struct ff_ce *ce);

/* Return what congestion leaves of a window by the rules of the base: half, rounded down, if they have no other. */
uint64_t ff_newreno_reduced_bytes(const struct ff_base_state *state, uint64_t window_bytes);

/* Begin a recovery period with a window that a startup algorithm has computed from `prior_bytes`. */
void ff_newreno_begin_recovery(struct ff_base_state *state, uint64_t now_ns, uint64_t window_bytes, uint64_t prior_bytes);

/* Let the base go on as if there had been no congestion: a startup algorithm starts again from below. */
void ff_newreno_forget_congestion(struct ff_base_state *state);

/* Process the news that the losses which caused the last reduction were none. NewReno keeps the reduction. */
enum ff_outcome ff_newreno_on_spurious_loss(struct ff_base_state *state);

/* Take another maximum datagram size; the window in bytes stays, but a decrease in the handshake may reduce it. */
void ff_newreno_on_datagram_size(struct ff_base_state *state, const struct ff_datagram_size *event);

/* Process the end of an idle period. */
enum ff_outcome ff_newreno_on_idle_restart(const struct ff_base_state *state);

/* Process persistent congestion. */
enum ff_outcome ff_newreno_on_persistent_congestion(struct ff_base_state *state);

/* Return whether a packet was sent no later than the start of the last recovery period. */
bool ff_newreno_sent_before_recovery(const struct ff_base_state *state, uint64_t sent_t_ns);

/* Process any event. Those of which RFC 9002 does not speak change nothing. */
enum ff_outcome ff_newreno_on_event(struct ff_base_state *state, const struct ff_event *event);

/* Write the windows, the phase and the outcome; no number of the state is there yet but those of the rules of the base. */
void ff_newreno_observe(const struct ff_base_state *state, enum ff_outcome outcome, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
