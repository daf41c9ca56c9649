/* How SEARCH leaves slow start. Mirrors reference-py/src/firstflight/search_exit.py. */
#include "firstflight/search_exit.h"

#include "firstflight/rare.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t overshoot_bytes(const struct ff_search_readings *readings, const struct ff_search *state)
{
    int bins = 0;

    if (readings->rollback == FF_SEARCH_ROLLBACK_CURRENT_RTT) {
        uint64_t rest_ticks;
        uint64_t shift = ff_search_shift_bins(readings, state, &rest_ticks); /* at most 38 where it was evaluated */
        bins = (int)(2 * shift % FF_SEARCH_ROLLBACK_RING_BINS); /* [search.exit.overshoot-current] */
    } else if (readings->rollback != FF_SEARCH_ROLLBACK_NONE) {
        bins = readings->rollback == FF_SEARCH_ROLLBACK_FLOOR ? FF_SEARCH_ROLLBACK_FLOOR_BINS
                                                              : FF_SEARCH_ROLLBACK_NEAREST_BINS; /* [search.exit.overshoot] */
    }
    if (readings->windows == FF_SEARCH_WINDOWS_LIVE) {
        bins--;
    }
    return state->delivered.counter_bytes - ff_search_delivered_bytes(readings, state, bins);
}

static uint64_t lowered_bytes(const struct ff_search_readings *readings, uint64_t cwnd_bytes, uint64_t overshoot,
                              const struct ff_search_base *base)
{
    if (readings->window_floor == FF_SEARCH_WINDOW_FLOOR_UNCHANGED && overshoot >= cwnd_bytes) {
        overshoot = 0; /* [search.exit.floor-unchanged] */
    }
    uint64_t lowered = cwnd_bytes > overshoot ? cwnd_bytes - overshoot : 0;
    if (readings->window_floor == FF_SEARCH_WINDOW_FLOOR_ZERO) {
        return lowered; /* [search.exit.floor-zero] */
    }
    return larger(lowered, base->minimum_window_bytes); /* [search.exit.floor] */
}

struct ff_search_exit ff_search_leave(const struct ff_search_readings *readings, const struct ff_search *state,
                                      const struct ff_ack *ack, const struct ff_search_base *base)
{
    uint64_t cwnd_bytes = base->cwnd_bytes;

    if (readings->exit_growth == FF_SEARCH_EXIT_GROWTH_SLOW_START) {
        /* Below 2^62 + 2^48. */
        cwnd_bytes = smaller(cwnd_bytes + ack->bytes, FF_WINDOW_MAX_BYTES); /* [search.exit.growth-first] */
    }
    if (readings->lower == FF_SEARCH_LOWER_NOTHING) {
        return (struct ff_search_exit){cwnd_bytes, cwnd_bytes, readings->exit_growth}; /* [search.exit.lower-nothing] */
    }
    uint64_t lowered = lowered_bytes(readings, cwnd_bytes, overshoot_bytes(readings, state), base);
    if (readings->lower == FF_SEARCH_LOWER_THRESHOLD_ONLY) {
        return (struct ff_search_exit){cwnd_bytes, lowered, readings->exit_growth}; /* [search.exit.lower-threshold] */
    }
    return (struct ff_search_exit){lowered, lowered, readings->exit_growth}; /* [search.exit.lower] */
}

void ff_search_begin_drain(const struct ff_search_readings *readings, struct ff_search *state,
                           const struct ff_search_base *base)
{
    struct ff_search_more *more = ff_search_more(readings, state);
    uint64_t delivered_bytes =
        state->delivered.opened_bytes - ff_search_delivered_bytes(readings, state, FF_SEARCH_DRAIN_BINS);
    uint64_t floor_bytes = FF_SEARCH_DRAIN_MINIMUM_PACKETS * base->max_datagram_size_bytes;

    more->target_bytes = larger(delivered_bytes, floor_bytes); /* [search.drain.target] */
    more->drain_packets = 0;
    state->gate_ns = 0;
}

/* End the drain: the flight is at the target. */
FF_RARE static void end_drain(const struct ff_search_readings *readings, struct ff_search *state, uint64_t cwnd_bytes,
                           struct ff_search_decision *decision)
{
    ff_search_forget(readings, state); /* [search.drain.end] */
    decision->outcome = FF_OUTCOME_DRAINED;
    decision->exit = (struct ff_search_exit){cwnd_bytes, cwnd_bytes, FF_SEARCH_EXIT_GROWTH_NONE};
}

void ff_search_drain(const struct ff_search_readings *readings, struct ff_search *state, const struct ff_ack *ack,
                     const struct ff_search_base *base, struct ff_search_decision *decision)
{
    struct ff_search_more *more = (struct ff_search_more *)state->more; /* every profile that drains has it */
    uint64_t packets = more->drain_packets;
    uint64_t cwnd_bytes = smaller(ack->bytes_in_flight, FF_WINDOW_MAX_BYTES); /* a flight has no bound */

    for (size_t i = 0; i < ack->run_count; i++) {
        packets += ff_run_count(&ack->packets[i]);
    }
    if (packets >= FF_SEARCH_DRAIN_PACKETS) {
        /* Fewer than 2^48 packets, each of a byte at least; 2^48 / 3 of 65535 bytes are below 2^63. */
        cwnd_bytes += packets / FF_SEARCH_DRAIN_PACKETS * base->max_datagram_size_bytes;
        cwnd_bytes = smaller(cwnd_bytes, FF_WINDOW_MAX_BYTES);
        packets %= FF_SEARCH_DRAIN_PACKETS;
    }
    decision->evaluated = false;
    decision->exits = true;
    if (cwnd_bytes <= more->target_bytes) {
        end_drain(readings, state, more->target_bytes, decision);
        return;
    }
    more->drain_packets = packets; /* [search.drain.step] */
    decision->outcome = FF_OUTCOME_DRAINING;
    decision->exit = (struct ff_search_exit){cwnd_bytes, FF_NONE, FF_SEARCH_EXIT_GROWTH_NONE};
}
