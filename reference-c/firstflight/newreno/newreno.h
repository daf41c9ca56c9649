/*
 * NewReno in bytes (spec/slow-start/rules.md; RFC 9002, section 7, appendix B), and its parts that every base
 * controller uses.
 *
 * Recovery periods are the same for all bases. Growth and reductions of the window follow NewReno unless the rules of
 * the base define them (window_rules.h).
 *
 * The functions do not check their arguments: ff_controller_step checks events before it calls them.
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
    uint64_t recovery_start_ns; /* start of the last recovery period; FF_NONE before the first, and after persistent
    congestion */
    bool in_recovery;           /* no packet sent after it has been acknowledged yet */
    uint8_t growth;             /* unit of growth: FF_NEWRENO_GROWTH_... */
    uint8_t base;               /* base of the rules in use: FF_BASE_... */
    union ff_rules_state rules_state;
};

/* Return the initial window of RFC 9002, section 7.2, in bytes. */
uint64_t ff_newreno_recommended_initial_window_bytes(uint64_t max_datagram_size_bytes);

/* Return the smallest window that a reduction leaves, in bytes. */
uint64_t ff_newreno_minimum_window_bytes(const struct ff_base_state *state);

/* Initialise a new connection of RFC 9002. An initial window of 0 selects the recommended window. */
void ff_newreno_begin(struct ff_base_state *state, uint64_t max_datagram_size_bytes, uint64_t initial_window_bytes);

/* Reset windows and recovery to the values of a new connection with this initial window. */
void ff_newreno_reset(struct ff_base_state *state, uint64_t initial_window_bytes);

/* Switch a connection before its first event to the rules of another base; the caller initialises their state. */
void ff_newreno_use_rules(struct ff_base_state *state, enum ff_base base);

/* Return the phase: recovery, else slow start below the threshold, else congestion avoidance. */
enum ff_phase ff_newreno_phase(const struct ff_base_state *state);

/* Process packets being sent. */
enum ff_outcome ff_newreno_on_sent(struct ff_base_state *state, uint64_t t_ns, const struct ff_sent *sent);

/* Process an expired probe timer. */
enum ff_outcome ff_newreno_on_pto(const struct ff_base_state *state);

/* Process the packets newly acknowledged at t_ns, in increasing order; return the outcome of the last packet. */
enum ff_outcome ff_newreno_on_ack(struct ff_base_state *state, uint64_t t_ns, const struct ff_ack *ack);

/* Process packets declared lost at t_ns. */
enum ff_outcome ff_newreno_on_lost(struct ff_base_state *state, uint64_t t_ns, const struct ff_lost *lost);

/* Process a rise of the ECN-CE counter at t_ns. */
enum ff_outcome ff_newreno_on_ce(struct ff_base_state *state, uint64_t t_ns, const struct ff_ce *ce);

/* Return a window after a reduction by the rules of the base; by default half of it, rounded down. */
uint64_t ff_newreno_reduced_bytes(const struct ff_base_state *state, uint64_t window_bytes);

/* Begin a recovery period with a window that a startup algorithm has computed from `prior_bytes`. */
void ff_newreno_begin_recovery(struct ff_base_state *state, uint64_t now_ns, uint64_t window_bytes, uint64_t prior_bytes);

/* Forget earlier congestion: a startup algorithm begins again from a small window. */
void ff_newreno_forget_congestion(struct ff_base_state *state);

/* Process the event that the losses of the last reduction were spurious. NewReno keeps the reduction. */
enum ff_outcome ff_newreno_on_spurious_loss(struct ff_base_state *state);

/* Change the maximum datagram size; the window in bytes stays, but a decrease in the handshake may reduce it. */
void ff_newreno_on_datagram_size(struct ff_base_state *state, const struct ff_datagram_size *event);

/* Process the end of an idle period. */
enum ff_outcome ff_newreno_on_idle_restart(const struct ff_base_state *state);

/* Process persistent congestion. */
enum ff_outcome ff_newreno_on_persistent_congestion(struct ff_base_state *state);

/* Return whether a packet was sent no later than the start of the last recovery period. */
bool ff_newreno_sent_before_recovery(const struct ff_base_state *state, uint64_t sent_t_ns);

/* Process any event. Events outside RFC 9002 change nothing. */
enum ff_outcome ff_newreno_on_event(struct ff_base_state *state, const struct ff_event *event);

/* Write windows, phase, outcome and the numbers of the base's rules; other numbers of the state are absent. */
void ff_newreno_observe(const struct ff_base_state *state, enum ff_outcome outcome, struct ff_observation *observation);

#ifdef __cplusplus
}
#endif

#endif
