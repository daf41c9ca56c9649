/*
 * The window rules of CUBIC (spec/cubic/rules.md; RFC 9438): growth of the base controller in congestion avoidance, and
 * its reductions.
 *
 * newreno keeps the windows and calls the hooks of ff_cubic_rules. Absent numbers are FF_NONE.
 */
#ifndef FIRSTFLIGHT_CUBIC_H
#define FIRSTFLIGHT_CUBIC_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/cubic/profiles.h"
#include "firstflight/window_rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A congestion avoidance stage. */
struct ff_cubic_epoch {
    bool begun;
    uint64_t start_ns;   /* its beginning plus the time that does not count */
    uint64_t k_ns;       /* K */
    uint64_t cwnd_bytes; /* the window after the last growth */
    uint64_t cwnd_fraction;
    uint64_t w_est_bytes;
    uint64_t w_est_fraction;
};

/* State of the base and of CUBIC before a reduction after a loss. */
struct ff_cubic_saved {
    bool there;
    struct ff_windows base;
    uint64_t w_max_bytes;
    uint64_t cwnd_prior_bytes;
    struct ff_cubic_epoch epoch;
};

struct ff_cubic {
    struct ff_cubic_readings readings;
    uint64_t w_max_bytes;      /* FF_NONE until set */
    uint64_t cwnd_prior_bytes; /* FF_NONE until set */
    uint64_t flight_bytes;     /* in flight after the last event */
    uint64_t stopped_ns;       /* when the clock stopped, or FF_NONE */
    bool idle;                 /* stopped only because nothing is in flight */
    struct ff_cubic_epoch epoch;
    struct ff_cubic_saved saved;
};

/* Initialise the state of a new connection. */
void ff_cubic_begin(struct ff_cubic *state, const struct ff_cubic_readings *readings);

/* Initialise the state of a new connection under a startup algorithm. */
void ff_cubic_carry(struct ff_cubic *state, const struct ff_cubic_readings *readings);

/* The rules; their state is a struct ff_cubic. */
extern const struct ff_window_rules ff_cubic_rules;

#ifdef __cplusplus
}
#endif

#endif
