/*
 * The interface of a base controller: rules for the growth and reduction of its window.
 * Mirrors reference-py/src/firstflight/window_rules.py.
 *
 * NewReno keeps the windows and the recovery periods of every base and calls the rules of that base through these
 * hooks. A NULL hook selects NewReno's rule, or no action if NewReno has none. The first argument is the state of the
 * rules.
 */
#ifndef FIRSTFLIGHT_WINDOW_RULES_H
#define FIRSTFLIGHT_WINDOW_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/observables.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The windows and the last recovery period of a base, as kept by NewReno. */
struct ff_windows {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes;    /* or FF_SSTHRESH_INFINITE */
    uint64_t recovery_start_ns; /* or FF_NONE */
    bool in_recovery;
};

struct ff_window_rules {
    uint8_t beta_tenths; /* the window after a reduction, in tenths of the window before */

    /* Return the smallest window outside slow start. ssthresh is not infinite. */
    uint64_t (*slow_start_end_bytes)(const void *rules_state, uint64_t ssthresh_bytes);

    /* Process packets being sent. */
    void (*on_sent)(void *rules_state, uint64_t t_ns, const struct ff_sent *sent);

    /* Process an ACK before NewReno does: write the new window and the outcome; false leaves the ACK to the other
     * rules. */
    bool (*on_ack)(void *rules_state, const struct ff_ack *ack, uint64_t datagram_bytes, struct ff_windows *windows, bool slow,
                   enum ff_outcome *outcome);

    /* Grow in congestion avoidance per ACK, not per packet: return the window. Also called for ACKs without growth. */
    uint64_t (*on_acked)(void *rules_state, uint64_t t_ns, const struct ff_ack *ack, uint64_t datagram_bytes, uint64_t cwnd_bytes,
                         uint64_t acked_bytes);

    /* Reduce: write the new window and ssthresh. FF_NONE as `flight_bytes`: as after the last event. `ce`: CE mark. */
    void (*reduce)(void *rules_state, uint64_t now_ns, uint64_t datagram_bytes, struct ff_windows *windows, uint64_t flight_bytes, bool ce);

    /* Set the bytes in flight after a loss. */
    void (*set_flight)(void *rules_state, uint64_t bytes_in_flight);

    /* Return the window after a reduction of a window that a startup algorithm gives. */
    uint64_t (*reduced_bytes)(const void *rules_state, uint64_t window_bytes);

    /* Note that a startup algorithm has reduced from this window. */
    void (*note_startup_reduction)(void *rules_state, uint64_t now_ns, uint64_t cwnd_bytes);

    /* A startup algorithm begins again from a small window: earlier congestion no longer counts. */
    void (*forget)(void *rules_state);

    /* The last losses were spurious: write the windows before the last reduction; false keeps `cwnd_bytes`. */
    bool (*restore)(void *rules_state, uint64_t cwnd_bytes, struct ff_windows *replaced);

    /* Process persistent congestion. */
    void (*collapse)(void *rules_state);

    /* The maximum datagram size changes. */
    void (*change_datagram_size)(void *rules_state);

    /* Write the observables of the rules. */
    void (*numbers)(const void *rules_state, struct ff_observation *observation);
};

#ifdef __cplusplus
}
#endif

#endif
