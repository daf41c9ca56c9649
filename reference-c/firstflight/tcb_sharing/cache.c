/* Values that a connection writes to the cache. Mirrors reference-py/src/firstflight/tcb_sharing/cache.py. */
#include "firstflight/tcb_sharing/cache.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

/* Beta is at most 1, so the result is at most the window. The window is split into quotient and rest by the
 * denominator: the first product is at most the window, the second below 2^32. */
uint64_t ff_tcb_sharing_saved_ssthresh_bytes(const struct ff_saved_path *offer)
{
    uint64_t whole = offer->saved_cwnd_bytes / offer->beta_denominator;
    uint64_t rest = offer->saved_cwnd_bytes % offer->beta_denominator;

    return whole * offer->beta_numerator + rest * offer->beta_numerator / offer->beta_denominator; /* [tcb-sharing.cached-threshold] */
}

/* Return the mean of a cached value, 0 for none, and a value of the connection. Both are below 2^62. */
static uint64_t mean_bytes(uint64_t old_bytes, uint64_t current_bytes)
{
    if (old_bytes == 0) {
        return current_bytes; /* [tcb-sharing.merge.first] */
    }
    return (old_bytes + current_bytes) / 2; /* [tcb-sharing.merge.mean] */
}

uint64_t ff_tcb_sharing_cached_cwnd_bytes(const struct ff_tcb_sharing_readings *readings, const struct ff_tcb_sharing *state,
                                          const struct ff_base_state *base)
{
    if (readings->merge == FF_TCB_SHARING_MERGE_NONE) {
        return FF_NONE; /* [tcb-sharing.merge.none] */
    }
    if (readings->merge == FF_TCB_SHARING_MERGE_MEAN) {
        return mean_bytes(state->old_cwnd_bytes, base->cwnd_bytes);
    }
    if (base->ssthresh_bytes == FF_SSTHRESH_INFINITE) {
        return ff_max(state->old_cwnd_bytes, base->cwnd_bytes); /* [tcb-sharing.merge.linux.initial] */
    }
    if (ff_newreno_phase(base) == FF_PHASE_CONGESTION_AVOIDANCE) {
        return (state->old_cwnd_bytes + base->cwnd_bytes) / 2; /* [tcb-sharing.merge.linux.avoidance] */
    }
    return (state->old_cwnd_bytes + base->ssthresh_bytes) / 2; /* [tcb-sharing.merge.linux.unfinished] */
}

uint64_t ff_tcb_sharing_cached_ssthresh_bytes(const struct ff_tcb_sharing_readings *readings,
                                              const struct ff_tcb_sharing *state, const struct ff_base_state *base)
{
    if (readings->merge == FF_TCB_SHARING_MERGE_NONE) {
        return FF_NONE;
    }
    uint64_t old_bytes = state->old_ssthresh_bytes > 0 ? state->old_ssthresh_bytes : FF_NONE;
    if (base->ssthresh_bytes == FF_SSTHRESH_INFINITE) {
        return old_bytes; /* [tcb-sharing.merge.infinite] */
    }
    if (readings->merge == FF_TCB_SHARING_MERGE_MEAN) {
        return mean_bytes(state->old_ssthresh_bytes, base->ssthresh_bytes);
    }
    if (ff_newreno_phase(base) == FF_PHASE_CONGESTION_AVOIDANCE) {
        return ff_max(base->cwnd_bytes / 2, base->ssthresh_bytes); /* [tcb-sharing.merge.linux.threshold] */
    }
    if (old_bytes != FF_NONE && base->ssthresh_bytes > old_bytes) {
        return base->ssthresh_bytes; /* [tcb-sharing.merge.linux.raised] */
    }
    return old_bytes;
}
