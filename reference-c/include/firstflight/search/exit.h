/* How SEARCH leaves slow start (spec/search.md, section Exit). */
#ifndef FIRSTFLIGHT_SEARCH_EXIT_H
#define FIRSTFLIGHT_SEARCH_EXIT_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/observables.h"
#include "firstflight/search/bins.h"
#include "firstflight/search/windows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two initial RTTs in bins, 40/7, by the reading `rollback`. */
#define FF_SEARCH_ROLLBACK_FLOOR_BINS 5
#define FF_SEARCH_ROLLBACK_NEAREST_BINS 6
#define FF_SEARCH_ROLLBACK_RING_BINS 25
/* One initial RTT in bins, 20/7, rounded up: what the drain leaves in flight was delivered in so many bins. */
#define FF_SEARCH_DRAIN_BINS 3
/* The drain leaves at least so many datagrams. */
#define FF_SEARCH_DRAIN_MINIMUM_PACKETS 10
/* While draining one packet leaves for so many acknowledged. */
#define FF_SEARCH_DRAIN_PACKETS 3

/* What SEARCH needs to know of the base controller. */
struct ff_search_base {
    uint64_t cwnd_bytes; /* at most FF_WINDOW_MAX_BYTES */
    uint64_t minimum_window_bytes;
    uint64_t max_datagram_size_bytes;
};

/* New windows, and how the same ACK may still grow them. */
struct ff_search_exit {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes; /* FF_NONE: as it was */
    uint8_t growth;          /* FF_SEARCH_EXIT_GROWTH_... */
};

/* What SEARCH decided on an ACK. `evaluation` and `exit` are written only where the flags say so. */
struct ff_search_decision {
    enum ff_outcome outcome;
    bool evaluated;
    bool exits; /* windows change */
    struct ff_search_evaluation evaluation;
    struct ff_search_exit exit;
};

/* Return the windows after the exit that an ACK brought about, unless the flight is drained instead. */
struct ff_search_exit ff_search_leave(const struct ff_search_readings *readings, const struct ff_search *state,
                                      const struct ff_ack *ack, const struct ff_search_base *base);

/* Drain the flight from now on to what one initial RTT delivered. */
void ff_search_begin_drain(const struct ff_search_readings *readings, struct ff_search *state,
                           const struct ff_search_base *base);

/* Process an ACK while draining: one packet leaves for three acknowledged, until the flight is at the target. */
void ff_search_drain(const struct ff_search_readings *readings, struct ff_search *state, const struct ff_ack *ack,
                     const struct ff_search_base *base, struct ff_search_decision *decision);

#ifdef __cplusplus
}
#endif

#endif
