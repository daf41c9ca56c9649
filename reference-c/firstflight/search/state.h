/*
 * The state of SEARCH (spec/search/rules.md): two series of bytes in bins of equal duration, and the last RTT sample.
 *
 * Time is in ticks of 1/20 of the unit of the profile's clock. In ticks the bin duration, 7/20 of the initial RTT, is a
 * whole number. The caller owns the state; layout.h defines its size.
 */
#ifndef FIRSTFLIGHT_SEARCH_STATE_H
#define FIRSTFLIGHT_SEARCH_STATE_H

#include <stdint.h>

#include "firstflight/limits.h"
#include "firstflight/rare.h"
#include "firstflight/search/rtt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FF_SEARCH_TICKS_PER_UNIT 20
/* Bin duration in ticks per unit of initial RTT: 20 * 0.35. */
#define FF_SEARCH_BIN_TICKS_PER_RTT 7
#define FF_SEARCH_WINDOW_BINS 10
#define FF_SEARCH_RING_BINS 25
/* Largest value of the reading shift_maximum_bins. */
#define FF_SEARCH_SHIFT_MAXIMUM_BINS 38
/* Largest number of completed bins per series that readings need. */
#define FF_SEARCH_KEPT_BINS 49
/* Two initial RTTs in bins, 40/7, by the reading `rollback`. */
#define FF_SEARCH_ROLLBACK_FLOOR_BINS 5
#define FF_SEARCH_ROLLBACK_NEAREST_BINS 6
#define FF_SEARCH_ROLLBACK_RING_BINS 25
/* Upper bound of one initial RTT in bins, 20/7 rounded up. The drain targets the bytes delivered in these bins. */
#define FF_SEARCH_DRAIN_BINS 3
/* Largest value of the counter of a series. */
#define FF_SEARCH_COUNTER_MAX_BYTES (UINT64_MAX >> 1)

/* The two series of bytes. */
enum ff_search_kind {
    FF_SEARCH_DELIVERED = 0,
    FF_SEARCH_SENT,
};

/* Bytes of one kind. The open bin contains counter_bytes - opened_bytes. */
struct ff_search_series {
    uint64_t counter_bytes; /* all counted bytes */
    uint64_t opened_bytes;  /* counted bytes outside the open bin: the counter when the bin was opened */
};

/*
 * State of SEARCH. An ACK at t_ns ends the open bin if and only if t_ns >= gate_ns. The comparison in ns makes the
 * conversion to the clock of the profile unnecessary for most ACKs.
 */
struct ff_search {
    uint64_t gate_ns;   /* 0 while no bin is open: before the start, and while draining */
    uint64_t bin_ticks; /* the bin duration, 0 until the first RTT sample */
    uint64_t curr;      /* index of the open bin; it never wraps */
    struct ff_search_sample sample; /* the last RTT sample of the connection */
    struct ff_search_series delivered;
    FF_C11 uint64_t more[]; /* further members, as the readings need them (layout.h) */
};

#ifdef __cplusplus
}
#endif

#endif
