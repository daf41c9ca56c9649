/* The state of TCB sharing, and the cache after a close of the connection (spec/tcb-sharing/rules.md). */
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
    /* the set in use, 0 without one */
    uint64_t old_cwnd_bytes;     /* at most FF_WINDOW_MAX_BYTES */
    uint64_t old_ssthresh_bytes; /* at most old_cwnd_bytes */
    uint64_t old_rtt_ns;         /* at most FF_TIME_MAX_NS */
    /* paced startup: it began at start_ns with a window of window_bytes; sent_bytes of them have been sent */
    uint64_t start_ns;
    uint64_t window_bytes; /* at most old_cwnd_bytes */
    uint64_t sent_bytes;   /* at most window_bytes */
    uint64_t acks;         /* ACKs that did not end the paced startup */
    bool initialised;      /* a set was used or a packet sent; later sets are ignored */
    bool paced;            /* the paced startup is in progress */
};

/* Return the cached threshold. */
uint64_t ff_tcb_sharing_saved_ssthresh_bytes(const struct ff_saved_path *offer);

/* Return the cached window after a close, or FF_NONE if the events do not determine it. */
uint64_t ff_tcb_sharing_cached_cwnd_bytes(const struct ff_tcb_sharing_readings *readings, const struct ff_tcb_sharing *state,
                                          const struct ff_base_state *base);

/* Return the cached threshold after a close, or FF_NONE for none. */
uint64_t ff_tcb_sharing_cached_ssthresh_bytes(const struct ff_tcb_sharing_readings *readings,
                                              const struct ff_tcb_sharing *state, const struct ff_base_state *base);

#ifdef __cplusplus
}
#endif

#endif
