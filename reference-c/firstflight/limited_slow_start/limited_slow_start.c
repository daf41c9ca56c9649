/* Limited Slow-Start on top of the base controller. Mirrors reference-py/src/firstflight/limited_slow_start/limited_slow_start.py. */
#include "firstflight/limited_slow_start/limited_slow_start.h"

#include <stdbool.h>

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

void ff_limited_slow_start_begin(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                                 const struct ff_base_state *base)
{
    (void)readings;
    (void)base;
    state->credit_bytes = 0; /* [limited-slow-start.begin] */
}

/* Below 2^24: at most 255 datagrams of at most 65535 bytes. */
static uint64_t max_ssthresh_bytes(const struct ff_limited_slow_start_readings *readings, const struct ff_base_state *base)
{
    return readings->max_ssthresh_datagrams * base->max_datagram_size_bytes; /* [limited-slow-start.maximum] */
}

/* Add half of max_ssthresh for an ACK; return the bytes gained, a datagram or nothing. The sum is below 2^62 + 2^23. */
static uint64_t take_credit(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                            const struct ff_base_state *base)
{
    state->credit_bytes += max_ssthresh_bytes(readings, base) / 2; /* [limited-slow-start.remainder] */
    if (state->credit_bytes < base->cwnd_bytes) {
        return 0;
    }
    state->credit_bytes -= base->cwnd_bytes;
    return base->max_datagram_size_bytes;
}

/* Return the growth of a window above max_ssthresh for one unit. */
static uint64_t share_bytes(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                            const struct ff_base_state *base, uint64_t unit_bytes)
{
    uint64_t max_bytes = max_ssthresh_bytes(readings, base);

    if (readings->share == FF_LIMITED_SLOW_START_SHARE_REMAINDER) {
        return take_credit(readings, state, base);
    }
    if (readings->share == FF_LIMITED_SLOW_START_SHARE_NEAREST) {
        /* The product is below 2^40, and the window below 2^62. */
        return (unit_bytes * max_bytes + base->cwnd_bytes) / (2 * base->cwnd_bytes); /* [limited-slow-start.nearest] */
    }
    uint64_t k = 2 * base->cwnd_bytes / max_bytes; /* [limited-slow-start.k] at least 2 */
    return unit_bytes / k; /* [limited-slow-start.share] */
}

/* Grow the window for one unit; return whether the growth was limited. */
static bool grow(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                 struct ff_base_state *base, uint64_t unit_bytes)
{
    bool limited = base->cwnd_bytes > max_ssthresh_bytes(readings, base);
    uint64_t more_bytes = unit_bytes; /* [limited-slow-start.full] */

    if (limited) {
        more_bytes = share_bytes(readings, state, base, unit_bytes); /* [limited-slow-start.limited] */
    }
    base->cwnd_bytes = ff_min(base->cwnd_bytes + more_bytes, FF_WINDOW_MAX_BYTES);
    return limited;
}

static bool grow_by_packets(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                            struct ff_base_state *base, const struct ff_ack *ack)
{
    bool limited = false;

    for (size_t i = 0; i < ack->run_count; i++) {
        const struct ff_run *run = &ack->packets[i];
        for (uint64_t packet = run->first; packet <= run->last && !ff_newreno_sent_before_recovery(base, run->sent_t_ns); packet++) {
            limited = grow(readings, state, base, run->size_bytes); /* [limited-slow-start.unit.packet] */
        }
    }
    return limited;
}

static bool grow_by_ack(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                        struct ff_base_state *base)
{
    uint64_t unit_bytes = base->max_datagram_size_bytes; /* [limited-slow-start.unit.ack] */
    return grow(readings, state, base, unit_bytes);
}

/* Let the base controller process the ACK as if ssthresh were infinite, then replace its growth by the rule. */
static enum ff_outcome on_ack(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                              struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t before_bytes = base->cwnd_bytes;
    uint64_t ssthresh_bytes = base->ssthresh_bytes;
    base->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack);
    base->cwnd_bytes = before_bytes; /* [limited-slow-start.threshold] */
    base->ssthresh_bytes = ssthresh_bytes;

    bool later = false;
    for (size_t i = 0; i < ack->run_count; i++) {
        later = later || !ff_newreno_sent_before_recovery(base, ack->packets[i].sent_t_ns);
    }
    if (ack->app_limited) {
        return outcome;
    }
    if (!later) {
        return outcome; /* [limited-slow-start.ending-ack] */
    }
    bool limited = readings->unit == FF_LIMITED_SLOW_START_UNIT_PACKET ? grow_by_packets(readings, state, base, ack)
                                                                       : grow_by_ack(readings, state, base);
    return limited ? FF_OUTCOME_LIMITED_GROWN : FF_OUTCOME_GROWN;
}

/* Return whether cwnd is at most ssthresh; the base controller ends slow start one byte earlier. */
static bool in_slow_start(const struct ff_base_state *base)
{
    return base->cwnd_bytes <= base->ssthresh_bytes; /* [limited-slow-start.at-threshold] */
}

static enum ff_outcome on_event(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_ACK && in_slow_start(base)) {
        return on_ack(readings, state, base, event->t_ns, &event->ack); /* [limited-slow-start.scope] [limited-slow-start.scope.every] */
    }
    enum ff_outcome outcome = ff_newreno_on_event(base, event); /* [limited-slow-start.loss] */
    if (outcome == FF_OUTCOME_COLLAPSED || outcome == FF_OUTCOME_REDUCED) {
        state->credit_bytes = 0; /* [limited-slow-start.remainder.forget] */
    }
    return outcome;
}

/* Return the phase of the base controller, except slow start if cwnd equals ssthresh. */
static enum ff_phase phase(const struct ff_base_state *base)
{
    return !base->in_recovery && in_slow_start(base) ? FF_PHASE_SLOW_START : ff_newreno_phase(base);
}

static void observe(const struct ff_limited_slow_start_readings *readings, const struct ff_limited_slow_start *state,
                    const struct ff_base_state *base, enum ff_outcome outcome, struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    observation->phase = phase(base);
    if (readings->share == FF_LIMITED_SLOW_START_SHARE_REMAINDER) {
        observation->credit_bytes = state->credit_bytes;
    }
}

void ff_limited_slow_start_step(const struct ff_limited_slow_start_readings *readings, struct ff_limited_slow_start *state,
                                struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(readings, state, base, outcome, observation);
    }
}
