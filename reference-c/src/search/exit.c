/* How SEARCH leaves slow start. Mirrors reference-py/src/firstflight/search_exit.py. */
#include "firstflight/search/exit.h"

#include "firstflight/minmax.h"
#include "firstflight/rare.h"

/* The difference of two counters as their shifted values show it, in bytes again. */
static uint64_t as_shifted(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t start_bytes,
                           uint64_t end_bytes)
{
    unsigned scale = ff_search_scale_bits(readings, state);

    return ((end_bytes >> scale) - (start_bytes >> scale)) << scale; /* [search.windows.shifted-back] */
}

static uint64_t overshoot_bytes(const struct ff_search_readings *readings, const struct ff_search *state)
{
    int bins = 0;

    if (readings->rollback == FF_SEARCH_ROLLBACK_CURRENT_RTT) {
        uint64_t rest_ticks;
        uint64_t shift = ff_search_shift_bins(readings, state, &rest_ticks); /* at most 38 where it was evaluated */
        if (2 * shift > state->curr) {
            return 0; /* [search.exit.overshoot-none] */
        }
        bins = (int)(2 * shift % FF_SEARCH_ROLLBACK_RING_BINS); /* [search.exit.overshoot-current] */
    } else if (readings->rollback != FF_SEARCH_ROLLBACK_NONE) {
        bins = readings->rollback == FF_SEARCH_ROLLBACK_FLOOR ? FF_SEARCH_ROLLBACK_FLOOR_BINS
                                                              : FF_SEARCH_ROLLBACK_NEAREST_BINS; /* [search.exit.overshoot] */
    }
    if (readings->windows == FF_SEARCH_WINDOWS_LIVE) {
        bins--;
    }
    return as_shifted(readings, state, ff_search_delivered_bytes(readings, state, bins), state->delivered.counter_bytes);
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
    return ff_max(lowered, base->minimum_window_bytes); /* [search.exit.floor] */
}

struct ff_search_exit ff_search_leave(const struct ff_search_readings *readings, const struct ff_search *state,
                                      const struct ff_ack *ack, const struct ff_search_base *base)
{
    uint64_t cwnd_bytes = base->cwnd_bytes;

    if (readings->exit_growth == FF_SEARCH_EXIT_GROWTH_SLOW_START) {
        /* Below 2^62 + 2^48. */
        cwnd_bytes = ff_min(cwnd_bytes + ack->bytes, FF_WINDOW_MAX_BYTES); /* [search.exit.growth-first] */
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
    uint64_t start_bytes = ff_search_delivered_bytes(readings, state, FF_SEARCH_DRAIN_BINS);
    uint64_t delivered_bytes = as_shifted(readings, state, start_bytes, state->delivered.opened_bytes);
    uint64_t floor_bytes = FF_SEARCH_DRAIN_MINIMUM_PACKETS * base->max_datagram_size_bytes;

    if (readings->drain_unit == FF_SEARCH_DRAIN_UNIT_WHOLE_PACKETS) {
        delivered_bytes -= delivered_bytes % base->max_datagram_size_bytes; /* [search.drain.whole-packets] */
    }
    more->target_bytes = ff_max(delivered_bytes, floor_bytes); /* [search.drain.target] */
    more->drain_acked = 0;
    state->gate_ns = 0;
}

/* End the drain: the flight is at the target. */
FF_RARE static void end_drain(const struct ff_search_readings *readings, struct ff_search *state, uint64_t cwnd_bytes,
                           struct ff_search_decision *decision)
{
    ff_search_forget(readings, state); /* [search.drain.end] */
    decision->outcome = FF_OUTCOME_DRAINED;
    decision->exit = (struct ff_search_exit){cwnd_bytes, cwnd_bytes, readings->exit_growth};
}

/* What an ACK acknowledges, in the unit in which the flight is drained. */
static uint64_t drained(const struct ff_search_readings *readings, const struct ff_ack *ack)
{
    uint64_t packets = 0;

    if (readings->drain_unit == FF_SEARCH_DRAIN_UNIT_BYTES) {
        return ack->bytes;
    }
    for (size_t i = 0; i < ack->run_count; i++) {
        packets += ff_run_count(&ack->packets[i]);
    }
    return packets;
}

/* So many datagrams, saturating. */
static uint64_t datagram_bytes(uint64_t datagrams, const struct ff_search_base *base)
{
    return datagrams > FF_WINDOW_MAX_BYTES / base->max_datagram_size_bytes ? FF_WINDOW_MAX_BYTES
                                                                          : datagrams * base->max_datagram_size_bytes;
}

void ff_search_drain(const struct ff_search_readings *readings, struct ff_search *state, const struct ff_ack *ack,
                     const struct ff_search_base *base, struct ff_search_decision *decision)
{
    struct ff_search_more *more = (struct ff_search_more *)state->more; /* every profile that drains has it */
    uint64_t acked = more->drain_acked + drained(readings, ack); /* below 2^63: each part is counted as delivered */
    uint64_t one_for = FF_SEARCH_DRAIN_PACKETS;
    uint64_t cwnd_bytes = ff_min(ack->bytes_in_flight, FF_WINDOW_MAX_BYTES); /* a flight has no bound */

    decision->evaluated = false;
    decision->exits = true;
    if (readings->missing_rtt == FF_SEARCH_MISSING_RTT_SKIP && ack->latest_rtt_ns == FF_NO_RTT_NS) {
        more->drain_acked = acked;
        decision->outcome = FF_OUTCOME_NO_RTT_SAMPLE; /* [search.drain.no-sample] */
        decision->exit = (struct ff_search_exit){base->cwnd_bytes, FF_NONE, FF_SEARCH_EXIT_GROWTH_NONE};
        return;
    }
    if (readings->drain_unit == FF_SEARCH_DRAIN_UNIT_BYTES) {
        one_for *= base->max_datagram_size_bytes; /* [search.drain.bytes] */
    }
    if (acked >= one_for) {
        cwnd_bytes += datagram_bytes(acked / one_for, base);
        cwnd_bytes = ff_min(cwnd_bytes, FF_WINDOW_MAX_BYTES);
        acked %= one_for;
    }
    if (cwnd_bytes <= more->target_bytes) {
        end_drain(readings, state, more->target_bytes, decision);
        return;
    }
    more->drain_acked = acked; /* [search.drain.step] */
    decision->outcome = FF_OUTCOME_DRAINING;
    decision->exit = (struct ff_search_exit){cwnd_bytes, FF_NONE, FF_SEARCH_EXIT_GROWTH_NONE};
}
