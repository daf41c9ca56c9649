/* NewReno, and its parts that every base controller uses. Mirrors reference-py/src/firstflight/newreno/newreno.py. */
#include "firstflight/newreno/newreno.h"

#include <stddef.h>

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/rare.h"

uint64_t ff_newreno_recommended_initial_window_bytes(uint64_t max_datagram_size_bytes)
{
    uint64_t cap_bytes = ff_max(14720, 2 * max_datagram_size_bytes);

    return ff_min(10 * max_datagram_size_bytes, cap_bytes); /* [slow-start.window.initial] */
}

uint64_t ff_newreno_minimum_window_bytes(const struct ff_base_state *state)
{
    return 2 * state->max_datagram_size_bytes; /* [slow-start.window.minimum] */
}

void ff_newreno_begin(struct ff_base_state *state, uint64_t max_datagram_size_bytes, uint64_t initial_window_bytes)
{
    if (initial_window_bytes == 0) {
        initial_window_bytes = ff_newreno_recommended_initial_window_bytes(max_datagram_size_bytes);
    }
    state->max_datagram_size_bytes = max_datagram_size_bytes;
    state->cwnd_bytes = initial_window_bytes; /* [slow-start.begin] */
    state->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    state->recovery_start_ns = FF_NONE;
    state->in_recovery = false;
    state->growth = FF_NEWRENO_GROWTH_BYTES;
    state->base = FF_BASE_NEWRENO;
}

void ff_newreno_use_rules(struct ff_base_state *state, enum ff_base base)
{
    state->base = (uint8_t)base;
}

/* Return the rules of the base. */
static inline const struct ff_window_rules *rules(const struct ff_base_state *state)
{
    return ff_base_rules[state->base];
}

void ff_newreno_reset(struct ff_base_state *state, uint64_t initial_window_bytes)
{
    if (initial_window_bytes == 0) {
        uint64_t size_bytes = state->max_datagram_size_bytes;

        initial_window_bytes =
            ff_newreno_recommended_initial_window_bytes(size_bytes); /* [slow-start.datagram-size.initial] */
    }
    state->cwnd_bytes = initial_window_bytes; /* [slow-start.path.reset] */
    state->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    state->recovery_start_ns = FF_NONE;
    state->in_recovery = false;
    ff_newreno_forget_congestion(state);
}

/* Return the smallest window outside slow start; the infinite threshold is larger than any window. */
static uint64_t slow_start_end_bytes(const struct ff_base_state *state)
{
    if (state->ssthresh_bytes != FF_SSTHRESH_INFINITE && rules(state)->slow_start_end_bytes != NULL) {
        return rules(state)->slow_start_end_bytes(&state->rules_state, state->ssthresh_bytes);
    }
    return state->ssthresh_bytes;
}

/* Return the phase, if slow start ends at a window of `end_bytes`. */
static inline enum ff_phase phase_below(const struct ff_base_state *state, uint64_t end_bytes)
{
    if (state->in_recovery) {
        return FF_PHASE_RECOVERY;
    }
    return state->cwnd_bytes < end_bytes ? FF_PHASE_SLOW_START : FF_PHASE_CONGESTION_AVOIDANCE;
}

enum ff_phase ff_newreno_phase(const struct ff_base_state *state)
{
    return phase_below(state, slow_start_end_bytes(state));
}

enum ff_outcome ff_newreno_on_sent(struct ff_base_state *state, uint64_t t_ns, const struct ff_sent *sent)
{
    if (rules(state)->on_sent != NULL) {
        rules(state)->on_sent(&state->rules_state, t_ns, sent);
    }
    return FF_OUTCOME_SENT; /* [slow-start.sent] */
}

enum ff_outcome ff_newreno_on_pto(const struct ff_base_state *state)
{
    (void)state;
    return FF_OUTCOME_UNCHANGED; /* [slow-start.pto] */
}

/* Return the number of packets of the run that are acknowledged in slow start, including the packet that ends it. */
static uint64_t packets_to_threshold(const struct ff_base_state *state, const struct ff_run *run)
{
    if (state->ssthresh_bytes == FF_SSTHRESH_INFINITE) {
        return ff_run_count(run);
    }
    uint64_t missing_bytes = slow_start_end_bytes(state) - state->cwnd_bytes;
    /* Windows stay below 2^63, sizes below 2^16. */
    return ff_min(ff_run_count(run), (missing_bytes + run->size_bytes - 1) / run->size_bytes);
}

static uint64_t saturate(uint64_t window_bytes)
{
    if (window_bytes > FF_WINDOW_MAX_BYTES) {
        return FF_WINDOW_MAX_BYTES; /* [slow-start.window.maximum] */
    }
    return window_bytes;
}

bool ff_newreno_sent_before_recovery(const struct ff_base_state *state, uint64_t sent_t_ns)
{
    return state->recovery_start_ns != FF_NONE && sent_t_ns <= state->recovery_start_ns;
}

static void end_recovery(struct ff_base_state *state, const struct ff_run *acked, size_t run_count)
{
    if (!state->in_recovery) {
        return;
    }
    for (size_t i = 0; i < run_count; i++) {
        if (!ff_newreno_sent_before_recovery(state, acked[i].sent_t_ns)) {
            state->in_recovery = false; /* [slow-start.recovery.end] */
            return;
        }
    }
}

/* Grow by a number of packets in congestion avoidance; the loop ends at the latest with the packets of the run. */
static void grow_avoidance(struct ff_base_state *state, uint64_t size_bytes, uint64_t packets)
{
    /* Two sizes below 2^16: the product is below 2^32. */
    uint64_t share_bytes = state->max_datagram_size_bytes * size_bytes; /* [slow-start.avoidance.grow] */

    for (; packets > 0; packets--) {
        if (share_bytes < state->cwnd_bytes || state->cwnd_bytes == 0) { /* [slow-start.avoidance.rounding] */
            return; /* no growth for this and the remaining packets; only a startup algorithm can leave a window of 0 */
        }
        state->cwnd_bytes = saturate(state->cwnd_bytes + share_bytes / state->cwnd_bytes); /* [slow-start.avoidance.limit] */
    }
}

/* Grow the window by a run, packet by packet; add the bytes of the run that count in grow_by_ack. */
static enum ff_outcome on_run_acked(struct ff_base_state *state, const struct ff_run *run, uint64_t *left_bytes)
{
    if (ff_newreno_sent_before_recovery(state, run->sent_t_ns)) {
        return FF_OUTCOME_IN_RECOVERY; /* [slow-start.recovery.no-growth] */
    }
    end_recovery(state, run, 1);
    uint64_t packets = ff_run_count(run);
    bool slow = ff_newreno_phase(state) == FF_PHASE_SLOW_START;
    if (state->growth == FF_NEWRENO_GROWTH_ACKS) {
        *left_bytes += packets * run->size_bytes;
        return slow ? FF_OUTCOME_GROWN : FF_OUTCOME_GROWN_AVOIDANCE;
    }
    if (slow) {
        uint64_t growing = packets_to_threshold(state, run);
        /* A window below 2^63, and at most 65535 packets of 65535 bytes: below 2^64. */
        uint64_t grown_bytes = state->cwnd_bytes + growing * run->size_bytes; /* [slow-start.grow] */

        state->cwnd_bytes = saturate(grown_bytes);
        packets -= growing;
        if (packets == 0) {
            return FF_OUTCOME_GROWN;
        }
    }
    if (rules(state)->on_acked != NULL) {
        *left_bytes += packets * run->size_bytes;
    } else {
        grow_avoidance(state, run->size_bytes, packets);
    }
    return FF_OUTCOME_GROWN_AVOIDANCE;
}

/* Grow the window once per ACK: by the base's rules for congestion avoidance, or if the reading counts ACKs. */
static void grow_by_ack(struct ff_base_state *state, uint64_t t_ns, const struct ff_ack *ack, uint64_t acked_bytes)
{
    uint64_t datagram_bytes = state->max_datagram_size_bytes;
    uint64_t increase_bytes;

    if (rules(state)->on_acked != NULL) {
        state->cwnd_bytes =
            rules(state)->on_acked(&state->rules_state, t_ns, ack, datagram_bytes, state->cwnd_bytes, acked_bytes);
        return;
    }
    if (acked_bytes == 0) {
        return;
    }
    if (ff_newreno_phase(state) == FF_PHASE_SLOW_START) {
        increase_bytes = ff_min(acked_bytes, datagram_bytes); /* [slow-start.acks.grow] */
    } else {
        /* The window is not 0: only startup algorithms can leave a window of 0, and they count bytes. */
        increase_bytes = datagram_bytes * datagram_bytes / state->cwnd_bytes; /* [slow-start.acks.avoidance] */
        if (increase_bytes == 0) {
            increase_bytes = 1; /* [slow-start.acks.avoidance.least] */
        }
    }
    state->cwnd_bytes = saturate(state->cwnd_bytes + increase_bytes);
}

/*
 * Return whether any ACK grows the window by all its bytes, without a look at its runs. This holds from the start of a
 * connection to its first threshold or loss. For speed only.
 */
static bool grows_at_once(const struct ff_base_state *state)
{
    return state->ssthresh_bytes == FF_SSTHRESH_INFINITE && state->recovery_start_ns == FF_NONE && !state->in_recovery &&
           state->base == FF_BASE_NEWRENO && state->growth == FF_NEWRENO_GROWTH_BYTES;
}

/* Return the windows for the rules of the base. */
static struct ff_windows windows(const struct ff_base_state *state)
{
    return (struct ff_windows){
        .cwnd_bytes = state->cwnd_bytes,
        .ssthresh_bytes = state->ssthresh_bytes,
        .recovery_start_ns = state->recovery_start_ns,
        .in_recovery = state->in_recovery,
    };
}

FF_RARE static enum ff_outcome on_runs_acked(struct ff_base_state *state, uint64_t t_ns, const struct ff_ack *ack)
{
    enum ff_outcome outcome = FF_OUTCOME_UNCHANGED;
    uint64_t left_bytes = 0; /* at most the bytes of the event */

    if (rules(state)->on_ack != NULL) {
        struct ff_windows base = windows(state);
        bool slow = ff_newreno_phase(state) == FF_PHASE_SLOW_START;

        if (rules(state)->on_ack(&state->rules_state, ack, state->max_datagram_size_bytes, &base, slow, &outcome)) {
            state->cwnd_bytes = base.cwnd_bytes;
            return outcome;
        }
    }
    if (ack->app_limited) {
        end_recovery(state, ack->packets, ack->run_count);
        grow_by_ack(state, t_ns, ack, 0);
        return FF_OUTCOME_APP_LIMITED; /* [slow-start.app-limited] */
    }
    for (size_t i = 0; i < ack->run_count; i++) {
        outcome = on_run_acked(state, &ack->packets[i], &left_bytes);
    }
    grow_by_ack(state, t_ns, ack, left_bytes);
    return outcome;
}

enum ff_outcome ff_newreno_on_ack(struct ff_base_state *state, uint64_t t_ns, const struct ff_ack *ack)
{
    if (grows_at_once(state) && !ack->app_limited) {
        state->cwnd_bytes = saturate(state->cwnd_bytes + ack->bytes); /* [slow-start.grow] */
        return FF_OUTCOME_GROWN;
    }
    return on_runs_acked(state, t_ns, ack);
}

static enum ff_outcome on_congestion(struct ff_base_state *state, uint64_t now_ns, uint64_t sent_t_ns,
                                     uint64_t flight_bytes, bool ce)
{
    if (ff_newreno_sent_before_recovery(state, sent_t_ns)) {
        return FF_OUTCOME_ALREADY_REDUCED; /* [slow-start.recovery.once] */
    }
    if (rules(state)->reduce != NULL) {
        struct ff_windows base = windows(state);

        rules(state)->reduce(&state->rules_state, now_ns, state->max_datagram_size_bytes, &base, flight_bytes, ce);
        state->cwnd_bytes = base.cwnd_bytes;
        state->ssthresh_bytes = base.ssthresh_bytes;
    } else {
        state->ssthresh_bytes = ff_newreno_reduced_bytes(state, state->cwnd_bytes); /* [slow-start.recovery.begin] */
        state->cwnd_bytes =
            ff_max(state->ssthresh_bytes, ff_newreno_minimum_window_bytes(state)); /* [slow-start.recovery.at-once] */
    }
    state->recovery_start_ns = now_ns;
    state->in_recovery = true;
    return FF_OUTCOME_REDUCED;
}

enum ff_outcome ff_newreno_on_lost(struct ff_base_state *state, uint64_t t_ns, const struct ff_lost *lost)
{
    uint64_t latest_sent_t_ns = 0;

    if (lost->pmtu_probe) {
        if (rules(state)->set_flight != NULL) {
            rules(state)->set_flight(&state->rules_state, lost->bytes_in_flight);
        }
        return FF_OUTCOME_UNCHANGED; /* [slow-start.loss.pmtu-probe] */
    }
    for (size_t i = 0; i < lost->run_count; i++) {
        latest_sent_t_ns = ff_max(latest_sent_t_ns, lost->packets[i].sent_t_ns); /* [slow-start.loss.latest] */
    }
    /* Each term saturates; the sum of two windows is below 2^63 and saturates, too. */
    uint64_t flight_bytes = ff_min(ff_min(lost->bytes_in_flight, FF_WINDOW_MAX_BYTES) + lost->bytes, FF_WINDOW_MAX_BYTES);
    enum ff_outcome outcome = on_congestion(state, t_ns, latest_sent_t_ns, flight_bytes, false);
    if (rules(state)->set_flight != NULL) {
        rules(state)->set_flight(&state->rules_state, lost->bytes_in_flight);
    }
    return outcome;
}

enum ff_outcome ff_newreno_on_ce(struct ff_base_state *state, uint64_t t_ns, const struct ff_ce *ce)
{
    return on_congestion(state, t_ns, ce->sent_t_ns, FF_NONE, true); /* [slow-start.ce] */
}

uint64_t ff_newreno_reduced_bytes(const struct ff_base_state *state, uint64_t window_bytes)
{
    if (rules(state)->reduced_bytes != NULL) {
        return rules(state)->reduced_bytes(&state->rules_state, window_bytes);
    }
    return window_bytes / 2; /* [slow-start.recovery.rounding] */
}

void ff_newreno_begin_recovery(struct ff_base_state *state, uint64_t now_ns, uint64_t window_bytes, uint64_t prior_bytes)
{
    if (rules(state)->note_startup_reduction != NULL) {
        rules(state)->note_startup_reduction(&state->rules_state, now_ns, prior_bytes);
    }
    state->cwnd_bytes = window_bytes;
    state->ssthresh_bytes = window_bytes;
    state->recovery_start_ns = now_ns;
    state->in_recovery = true;
}

void ff_newreno_forget_congestion(struct ff_base_state *state)
{
    if (rules(state)->forget != NULL) {
        rules(state)->forget(&state->rules_state);
    }
}

enum ff_outcome ff_newreno_on_spurious_loss(struct ff_base_state *state)
{
    struct ff_windows replaced;

    if (rules(state)->restore == NULL || !rules(state)->restore(&state->rules_state, state->cwnd_bytes, &replaced)) {
        return FF_OUTCOME_UNCHANGED;
    }
    state->cwnd_bytes = replaced.cwnd_bytes;
    state->ssthresh_bytes = replaced.ssthresh_bytes;
    state->recovery_start_ns = replaced.recovery_start_ns;
    state->in_recovery = state->in_recovery && replaced.in_recovery;
    return FF_OUTCOME_RESTORED;
}

enum ff_outcome ff_newreno_on_persistent_congestion(struct ff_base_state *state)
{
    state->cwnd_bytes = ff_newreno_minimum_window_bytes(state); /* [slow-start.persistent.collapse] */
    state->recovery_start_ns = FF_NONE; /* [slow-start.persistent.forget] */
    state->in_recovery = false;
    if (rules(state)->collapse != NULL) {
        rules(state)->collapse(&state->rules_state);
    }
    return FF_OUTCOME_COLLAPSED;
}

void ff_newreno_on_datagram_size(struct ff_base_state *state, const struct ff_datagram_size *event)
{
    uint64_t size_bytes = event->max_datagram_size_bytes;
    bool shrinks = event->handshake && size_bytes < state->max_datagram_size_bytes;

    if (rules(state)->change_datagram_size != NULL) { /* [slow-start.datagram-size.growth] */
        rules(state)->change_datagram_size(&state->rules_state);
    }
    if (!shrinks) { /* [slow-start.datagram-size.window] [slow-start.datagram-size.kept] */
        state->max_datagram_size_bytes = size_bytes; /* [slow-start.datagram-size.minimum] */
        return;
    }
    state->max_datagram_size_bytes = size_bytes;
    uint64_t initial_window_bytes = ff_newreno_recommended_initial_window_bytes(size_bytes);

    if (state->cwnd_bytes > initial_window_bytes) {
        state->cwnd_bytes = initial_window_bytes; /* [slow-start.datagram-size.handshake] */
    }
}

enum ff_outcome ff_newreno_on_idle_restart(const struct ff_base_state *state)
{
    (void)state;
    return FF_OUTCOME_UNCHANGED; /* [slow-start.idle.window] [slow-start.idle.kept] */
}

enum ff_outcome ff_newreno_on_event(struct ff_base_state *state, const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_SENT:
        return ff_newreno_on_sent(state, event->t_ns, &event->sent);
    case FF_EVENT_ACK:
        return ff_newreno_on_ack(state, event->t_ns, &event->ack);
    case FF_EVENT_LOST:
        return ff_newreno_on_lost(state, event->t_ns, &event->lost);
    case FF_EVENT_CE:
        return ff_newreno_on_ce(state, event->t_ns, &event->ce);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_newreno_on_persistent_congestion(state);
    case FF_EVENT_PTO:
        return ff_newreno_on_pto(state);
    case FF_EVENT_IDLE_RESTART:
        return ff_newreno_on_idle_restart(state); /* [slow-start.idle.threshold] [slow-start.idle.recovery] */
    case FF_EVENT_BACKLOG:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_PATH_CHANGE:
    case FF_EVENT_DATAGRAM_SIZE:
        break;
    case FF_EVENT_SPURIOUS_LOSS:
        return ff_newreno_on_spurious_loss(state);
    }
    return FF_OUTCOME_UNCHANGED;
}

/* Write the observables of the rules of a base other than NewReno. */
static void observe_rules(const struct ff_base_state *state, struct ff_observation *observation)
{
    observation->phase = ff_newreno_phase(state);
    if (rules(state)->numbers != NULL) {
        rules(state)->numbers(&state->rules_state, observation);
    }
}

void ff_newreno_observe(const struct ff_base_state *state, enum ff_outcome outcome, struct ff_observation *observation)
{
    ff_observation_clear(observation);
    observation->cwnd_bytes = state->cwnd_bytes;
    observation->ssthresh_bytes = state->ssthresh_bytes;
    observation->phase = phase_below(state, state->ssthresh_bytes);
    observation->outcome = outcome;
    if (state->base != FF_BASE_NEWRENO) { /* for speed only: all hooks of NewReno are NULL */
        observe_rules(state, observation);
    }
}
