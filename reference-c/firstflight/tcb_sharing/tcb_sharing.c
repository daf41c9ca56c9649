/* TCB sharing: a connection begins with cached values of an earlier connection. Mirrors
 * reference-py/src/firstflight/tcb_sharing/tcb_sharing.py. */
#include "firstflight/tcb_sharing/tcb_sharing.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/wide.h"

void ff_tcb_sharing_begin(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state,
                          const struct ff_base_state *base)
{
    (void)readings;
    (void)base;
    *state = (struct ff_tcb_sharing){0}; /* [tcb-sharing.begin] */
}

/* Return FF_OUTCOME_TCB_SHARED if the set may be used, or the reason for refusing it. */
static enum ff_outcome judge(const struct ff_tcb_sharing_readings *readings, const struct ff_tcb_sharing *state, uint64_t t_ns,
                             const struct ff_saved_path *offer)
{
    if (state->initialised) {
        return FF_OUTCOME_UNCHANGED; /* [tcb-sharing.initialisation] [tcb-sharing.initialisation.sent] */
    }
    if (offer->saved_cwnd_bytes == 0 || offer->saved_rtt_ns == 0) {
        return FF_OUTCOME_SAVED_SET_ABSENT; /* [tcb-sharing.absent] */
    }
    if (!offer->endpoint_matches) {
        return FF_OUTCOME_ENDPOINT_MISMATCH; /* [tcb-sharing.host-pair] */
    }
    if (offer->in_use && readings->concurrent == FF_TCB_SHARING_CONCURRENT_REFUSED) {
        return FF_OUTCOME_SAVED_SET_IN_USE; /* [tcb-sharing.temporal] */
    }
    bool late = offer->expires_t_ns != FF_NONE && t_ns > offer->expires_t_ns;
    if (late && readings->lifetime == FF_TCB_SHARING_LIFETIME_CHECKED) {
        return FF_OUTCOME_LIFETIME_EXCEEDED; /* [tcb-sharing.lifetime] */
    }
    return FF_OUTCOME_TCB_SHARED;
}

/* Return the window that the endpoint allows. FF_NONE, no bound, is larger than any window. */
static uint64_t allowed_bytes(const struct ff_saved_path *offer, uint64_t window_bytes)
{
    if (offer->max_jump_bytes < window_bytes) {
        return offer->max_jump_bytes; /* [tcb-sharing.window.allowed] */
    }
    return window_bytes;
}

/* Begin a paced startup, unless the window is too small; return whether it began. */
static bool begin_startup(struct ff_tcb_sharing *state, struct ff_base_state *base, uint64_t t_ns, const struct ff_saved_path *offer)
{
    uint64_t packets = allowed_bytes(offer, offer->saved_cwnd_bytes) / base->max_datagram_size_bytes;

    if (packets <= FF_TCB_SHARING_INITIAL_DATAGRAMS) {
        return false; /* [tcb-sharing.startup.small] */
    }
    base->cwnd_bytes = packets * base->max_datagram_size_bytes; /* [tcb-sharing.startup.begin] at most the cached window */
    state->paced = true;
    state->start_ns = t_ns;
    state->window_bytes = base->cwnd_bytes;
    return true;
}

/* Set the window from the cache, at least a datagram. */
static void set_window(const struct ff_tcb_sharing_readings *readings, struct ff_base_state *base, const struct ff_saved_path *offer)
{
    if (readings->window == FF_TCB_SHARING_WINDOW_INITIAL) {
        return; /* [tcb-sharing.window.initial] */
    }
    uint64_t window_bytes = offer->saved_cwnd_bytes; /* [tcb-sharing.window.saved] */
    if (readings->window == FF_TCB_SHARING_WINDOW_HALF) {
        window_bytes /= 2; /* [tcb-sharing.window.half] */
    }
    window_bytes = allowed_bytes(offer, window_bytes);
    base->cwnd_bytes = ff_max(window_bytes, base->max_datagram_size_bytes); /* [tcb-sharing.window.least] */
}

static void set_threshold(const struct ff_tcb_sharing_readings *readings, struct ff_base_state *base, uint64_t ssthresh_bytes)
{
    if (readings->threshold == FF_TCB_SHARING_THRESHOLD_INFINITE) {
        return; /* [tcb-sharing.threshold.infinite] */
    }
    uint64_t least_bytes = ff_newreno_minimum_window_bytes(base);
    if (readings->threshold == FF_TCB_SHARING_THRESHOLD_TWO_DATAGRAMS && ssthresh_bytes < least_bytes) {
        ssthresh_bytes = least_bytes; /* [tcb-sharing.threshold.least] */
    }
    base->ssthresh_bytes = ssthresh_bytes; /* [tcb-sharing.threshold] */
}

/* Begin with the cached values, or return the reason for not using them. */
static enum ff_outcome on_saved_path(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state,
                                     struct ff_base_state *base, uint64_t t_ns, const struct ff_saved_path *offer)
{
    enum ff_outcome outcome = judge(readings, state, t_ns, offer);

    if (outcome != FF_OUTCOME_TCB_SHARED) {
        return outcome;
    }
    if (readings->window != FF_TCB_SHARING_WINDOW_DATAGRAMS) {
        set_window(readings, base, offer);
    } else if (!begin_startup(state, base, t_ns, offer)) {
        return FF_OUTCOME_TCB_IGNORED;
    }
    state->initialised = true;
    state->old_cwnd_bytes = offer->saved_cwnd_bytes;
    state->old_ssthresh_bytes = ff_tcb_sharing_saved_ssthresh_bytes(offer);
    state->old_rtt_ns = offer->saved_rtt_ns;
    set_threshold(readings, base, state->old_ssthresh_bytes);
    return outcome;
}

/* Process packets being sent. Before the bound sent_bytes is below 2^62 + 2^48. */
static enum ff_outcome on_sent(struct ff_tcb_sharing *state, struct ff_base_state *base, uint64_t t_ns, const struct ff_sent *sent)
{
    state->initialised = true;
    if (state->paced) {
        state->sent_bytes = ff_min(state->sent_bytes + sent->bytes, state->window_bytes);
    }
    return ff_newreno_on_sent(base, t_ns, sent);
}

/* End the paced startup if this ACK ends it; return whether it did. */
static bool end_startup(struct ff_tcb_sharing *state, struct ff_base_state *base, const struct ff_ack *ack)
{
    if (!state->paced || ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return false; /* [tcb-sharing.startup.sample] */
    }
    uint64_t datagram_bytes = base->max_datagram_size_bytes;
    uint64_t initial_bytes = FF_TCB_SHARING_INITIAL_DATAGRAMS * datagram_bytes;
    if (state->acks >= FF_TCB_SHARING_ENDING_ACKS) {
        base->cwnd_bytes = initial_bytes; /* [tcb-sharing.startup.given-up] */
    } else if (ack->bytes_in_flight > FF_TCB_SHARING_ENDING_DATAGRAMS * datagram_bytes) {
        uint64_t flight_bytes = ff_min(ack->bytes_in_flight, FF_WINDOW_MAX_BYTES);
        base->cwnd_bytes = ff_max(flight_bytes, initial_bytes); /* [tcb-sharing.startup.end] */
    } else {
        state->acks++; /* [tcb-sharing.startup.few] */
        return false;
    }
    state->paced = false;
    return true;
}

static enum ff_outcome on_ack(struct ff_tcb_sharing *state, struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    bool ended = end_startup(state, base, ack);
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack); /* [tcb-sharing.growth] */

    return ended ? FF_OUTCOME_PACED_STARTUP_ENDED : outcome;
}

static enum ff_outcome on_event(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_SAVED_PATH) {
        return on_saved_path(readings, state, base, event->t_ns, &event->saved_path);
    }
    if (event->kind == FF_EVENT_SENT) {
        return on_sent(state, base, event->t_ns, &event->sent);
    }
    if (event->kind == FF_EVENT_ACK) {
        return on_ack(state, base, event->t_ns, &event->ack);
    }
    enum ff_outcome outcome = ff_newreno_on_event(base, event);
    if (outcome == FF_OUTCOME_REDUCED || outcome == FF_OUTCOME_COLLAPSED) {
        state->paced = false; /* [tcb-sharing.startup.congestion] */
    }
    return outcome;
}

/*
 * Return the earliest time of the next packet of a paced startup, which may be past, or FF_NONE without a packet. The
 * bytes sent are less than the cached window. So the quotient is less than the RTT, and the high half of the product
 * less than the divisor.
 */
static uint64_t next_release_ns(const struct ff_tcb_sharing *state)
{
    uint64_t high;
    uint64_t rest;

    if (!state->paced || state->sent_bytes >= state->window_bytes) {
        return FF_NONE;
    }
    uint64_t low = ff_wide_product(state->sent_bytes, state->old_rtt_ns, &high);
    uint64_t offset_ns = ff_wide_quotient(high, low, state->old_cwnd_bytes, &rest); /* [tcb-sharing.startup.pacing] */
    return state->start_ns + offset_ns; /* [tcb-sharing.startup.times] */
}

void ff_tcb_sharing_step(const struct ff_tcb_sharing_readings *readings, struct ff_tcb_sharing *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        ff_newreno_observe(base, outcome, observation);
        observation->cached_cwnd_bytes = ff_tcb_sharing_cached_cwnd_bytes(readings, state, base);
        observation->cached_ssthresh_bytes = ff_tcb_sharing_cached_ssthresh_bytes(readings, state, base);
        observation->next_release_ns = next_release_ns(state);
    }
}
