/* Rapid Start: the flow of an event. Mirrors reference-py/src/firstflight/rapid_start/rapid_start.py. */
#include "firstflight/rapid_start/rapid_start.h"

#include <stdbool.h>

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/rapid_start/recovery.h"
#include "firstflight/rapid_start/rtt.h"

void ff_rapid_start_begin(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                          const struct ff_base_state *base)
{
    (void)readings;
    *state = (struct ff_rapid_start){
        .min_rtt_ns = FF_NO_RTT_NS,
        .round_min_ns = FF_NO_RTT_NS,
        .slots_ns = {FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS},
        .slot_end_ns = 1,
        .lower_bound_bytes = FF_NONE,
        .stage = FF_RAPID_START_STAGE_STARTUP,
    };
    state->initial_window_bytes = base->cwnd_bytes; /* [rapid-start.begin] */
}

/* Return the growth for acknowledged bytes. Below 2^50: at most 3 bytes per acknowledged byte, for a datagram of 3
 * bytes. */
static uint64_t grown_bytes(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                            const struct ff_base_state *base, uint64_t acked_bytes, bool fast)
{
    if (readings->growth == FF_RAPID_START_GROWTH_BYTES) {
        if (fast) {
            return 2 * acked_bytes; /* [rapid-start.grow.three] */
        }
        return acked_bytes; /* [rapid-start.grow.two] */
    }
    uint64_t datagram_bytes = base->max_datagram_size_bytes;
    uint64_t unit_bytes = fast ? ff_max(datagram_bytes / 2, 1) : datagram_bytes;
    state->credit_bytes += acked_bytes;
    uint64_t units = state->credit_bytes / unit_bytes;
    state->credit_bytes -= units * unit_bytes;
    return units * datagram_bytes; /* [rapid-start.grow.datagrams] */
}

/* Process an ACK before the first loss or CE mark: the rule replaces the growth of the base controller. */
static enum ff_outcome on_startup_ack(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                      struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    ff_rapid_start_sample(readings, state, t_ns, ack);
    uint64_t before_bytes = base->cwnd_bytes;
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack);
    if (ack->app_limited || state->stage == FF_RAPID_START_STAGE_OVER) {
        return outcome;
    }
    bool fast = ff_rapid_start_no_queue(readings, state);
    uint64_t more_bytes = grown_bytes(readings, state, base, ack->bytes, fast);
    base->cwnd_bytes = ff_min(before_bytes + more_bytes, FF_WINDOW_MAX_BYTES);
    return fast ? FF_OUTCOME_RAPID_GROWN : outcome;
}

static enum ff_outcome on_event(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    if (state->stage != FF_RAPID_START_STAGE_OVER) {
        switch (event->kind) {
        case FF_EVENT_ACK:
            if (state->stage == FF_RAPID_START_STAGE_STARTUP) {
                return on_startup_ack(readings, state, base, event->t_ns, &event->ack);
            }
            return ff_rapid_start_on_recovery_ack(readings, state, base, event->t_ns, &event->ack);
        case FF_EVENT_LOST:
            if (event->lost.pmtu_probe) {
                break;
            }
            return ff_rapid_start_on_lost(readings, state, base, event->t_ns, &event->lost);
        case FF_EVENT_CE:
            return ff_rapid_start_on_ce(readings, state, base, event->t_ns, &event->ce);
        case FF_EVENT_PERSISTENT_CONGESTION:
            state->stage = FF_RAPID_START_STAGE_OVER; /* [rapid-start.persistent] */
            break;
        default:
            break;
        }
    }
    return ff_newreno_on_event(base, event); /* [rapid-start.over] */
}

static void observe(const struct ff_rapid_start_readings *readings, const struct ff_rapid_start *state,
                    const struct ff_base_state *base, enum ff_outcome outcome, struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    observation->min_rtt_ns = state->min_rtt_ns;
    observation->rtt_floor_ns = ff_rapid_start_floor_ns(readings, state);
    if (readings->growth == FF_RAPID_START_GROWTH_DATAGRAMS) {
        observation->credit_bytes = state->credit_bytes;
    }
    if (state->lower_bound_bytes != FF_NONE) {
        observation->lower_bound_bytes = ff_rapid_start_with_minimum(state->lower_bound_bytes, base);
    }
    observation->recovery_start_ns = base->recovery_start_ns;
}

void ff_rapid_start_step(const struct ff_rapid_start_readings *readings, struct ff_rapid_start *state, struct ff_base_state *base,
                         const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(readings, state, base, outcome, observation);
    }
}
