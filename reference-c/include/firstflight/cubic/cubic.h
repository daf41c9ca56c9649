/*
 * The law of CUBIC (spec/cubic.md; RFC 9438): how the base controller grows in congestion avoidance, and how it reduces.
 *
 * slow_start carries the windows and asks here. Numbers that are not there are FF_NONE.
 */
#ifndef FIRSTFLIGHT_CUBIC_H
#define FIRSTFLIGHT_CUBIC_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/cubic/profiles.h"
#include "firstflight/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A congestion avoidance stage. */
struct ff_cubic_epoch {
    bool begun;
    uint64_t start_ns;   /* later than its beginning by the time that does not count */
    uint64_t k_ns;       /* K */
    uint64_t cwnd_bytes; /* the window as the last growth left it */
    uint64_t cwnd_fraction;
    uint64_t w_est_bytes;
    uint64_t w_est_fraction;
};

/* What a reduction after a loss replaced, of the base and of CUBIC. A caller leaves the numbers of CUBIC to ff_cubic_reduce. */
struct ff_cubic_saved {
    bool there;
    bool in_recovery;
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;
    uint64_t recovery_start_ns;
    uint64_t w_max_bytes;
    uint64_t cwnd_prior_bytes;
    struct ff_cubic_epoch epoch;
};

struct ff_cubic {
    struct ff_cubic_readings readings;
    uint64_t w_max_bytes;      /* FF_NONE while nothing has set it */
    uint64_t cwnd_prior_bytes; /* FF_NONE while nothing has set it */
    uint64_t reduced_ns;       /* of the reduction after which a stage is still to begin, or FF_NONE */
    uint64_t flight_bytes;     /* in flight after the last event */
    uint64_t stopped_ns;       /* since when time does not count, or FF_NONE */
    bool idle;                 /* only because nothing is in flight */
    struct ff_cubic_epoch epoch;
    struct ff_cubic_saved saved;
};

/* Windows after a reduction. */
struct ff_cubic_windows {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;
};

/* Fill in the state of a new connection. */
void ff_cubic_begin(struct ff_cubic *state, const struct ff_cubic_readings *readings);

/* Note what is in flight; it saturates as windows do. */
void ff_cubic_set_flight(struct ff_cubic *state, uint64_t bytes_in_flight);

/* Process packets being sent: an idle time ends. */
void ff_cubic_on_sent(struct ff_cubic *state, uint64_t t_ns, const struct ff_sent *sent);

/* Process an ACK, acked_bytes of which may grow the window in congestion avoidance; return the window. */
uint64_t ff_cubic_on_acked(struct ff_cubic *state, uint64_t t_ns, const struct ff_ack *ack, uint64_t datagram_bytes,
                           uint64_t cwnd_bytes, uint64_t acked_bytes);

/* Process a sign of congestion; return the new windows. `base`: what the base was before it. */
struct ff_cubic_windows ff_cubic_reduce(struct ff_cubic *state, uint64_t now_ns, uint64_t datagram_bytes,
                                        const struct ff_cubic_saved *base, uint64_t flight_bytes, bool ce);

/* Remember the window at a reduction, whoever computes the new one. */
void ff_cubic_note_reduction(struct ff_cubic *state, uint64_t now_ns, uint64_t cwnd_bytes);

/* Process persistent congestion: the next stage begins as if there had been no maximum. */
void ff_cubic_collapse(struct ff_cubic *state);

/* Forget all congestion, because a startup algorithm begins anew below what it has found. */
void ff_cubic_forget(struct ff_cubic *state);

/* Restore the state before the last reduction and write what it replaced; false if there is nothing to restore. */
bool ff_cubic_restore(struct ff_cubic *state, uint64_t cwnd_bytes, struct ff_cubic_saved *replaced);

#ifdef __cplusplus
}
#endif

#endif
