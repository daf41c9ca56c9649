/* The state of TCB sharing, and what a connection that closes now would leave in the cache (spec/tcb-sharing/rules.md). */
#ifndef FIRSTFLIGHT_TCB_SHARING_CACHE_H
#define FIRSTFLIGHT_TCB_SHARING_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/newreno/newreno.h"
#include "firstflight/tcb_sharing/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_tcb_sharing {
    /* the set in use, 0 where there is none */
    uint64_t old_cwnd_bytes;     /* at most FF_WINDOW_MAX_BYTES */
    uint64_t old_ssthresh_bytes; /* at most old_cwnd_bytes */
    uint64_t old_rtt_ns;         /* at most FF_TIME_MAX_NS */
    /* paced startup: it began at start_ns with a window of window_bytes, of which sent_bytes have left */
    uint64_t start_ns;
    uint64_t window_bytes; /* at most old_cwnd_bytes */
    uint64_t sent_bytes;   /* at most window_bytes */
    uint64_t acks;         /* that did not end it */
    bool initialised;      /* a set was used or a packet sent, and no set is used any more */
    bool paced;            /* the startup lasts */
};

/* Return the threshold that the cache has beside the window. */
uint64_t ff_tcb_sharing_saved_ssthresh_bytes(const struct ff_saved_path *offer);

/* Return the window that a close would leave in the cache, FF_NONE if the events do not tell. */
uint64_t ff_tcb_sharing_cached_cwnd_bytes(const struct ff_tcb_sharing_readings *readings, const struct ff_tcb_sharing *state,
                                          const struct ff_base_state *base);

/* Return the threshold that a close would leave in the cache, FF_NONE for none. */
uint64_t ff_tcb_sharing_cached_ssthresh_bytes(const struct ff_tcb_sharing_readings *readings,
                                              const struct ff_tcb_sharing *state, const struct ff_base_state *base);

#ifdef __cplusplus
}
#endif

#endif
