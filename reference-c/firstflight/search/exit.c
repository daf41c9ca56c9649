/* The exit from slow start. Mirrors reference-py/src/firstflight/search/exit.py. */
#include "firstflight/search/exit.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/search/layout.h"
#include "firstflight/search/windows.h"

/* Return the difference of two shifted counters, shifted back to bytes. */
static uint64_t as_shifted(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t start_bytes,
                           uint64_t end_bytes)
{
    unsigned scale = ff_search_scale_bits(readings, state);

    return ((end_bytes >> scale) - (start_bytes >> scale)) << scale; /* [search.windows.shifted-back] */
}

/* Return the overshoot: the bytes delivered in the last two RTTs. */
static uint64_t overshoot_bytes(const struct ff_search_readings *readings, const struct ff_search *state)
{
    int bins = 0;

    if (readings->rollback == FF_SEARCH_ROLLBACK_CURRENT_RTT) {
        uint64_t rest_ticks;
        uint64_t shift = ff_search_shift_bins(readings, state, &rest_ticks); /* at most 38 at an exit */
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

/* Return the window minus overshoot_bytes(), with the lower limit of the reading `window_floor`. */
static uint64_t lowered_bytes(const struct ff_search_readings *readings, const struct ff_search *state,
                              const struct ff_base_state *base)
{
    uint64_t overshoot = overshoot_bytes(readings, state);

    if (readings->window_floor == FF_SEARCH_WINDOW_FLOOR_ZERO) {
        return base->cwnd_bytes - ff_min(overshoot, base->cwnd_bytes); /* [search.exit.floor-zero] */
    }
    if (readings->window_floor == FF_SEARCH_WINDOW_FLOOR_UNCHANGED && overshoot >= base->cwnd_bytes) {
        overshoot = 0; /* [search.exit.floor-unchanged] */
    }
    uint64_t lowered_to_bytes = base->cwnd_bytes - ff_min(overshoot, base->cwnd_bytes);
    return ff_max(lowered_to_bytes, ff_newreno_minimum_window_bytes(base)); /* [search.exit.floor] */
}

void ff_search_leave(const struct ff_search_readings *readings, const struct ff_search *state, struct ff_base_state *base,
                     const struct ff_ack *ack)
{
    if (readings->exit_growth == FF_SEARCH_EXIT_GROWTH_SLOW_START) {
        /* Below 2^62 + 2^48. */
        base->cwnd_bytes = ff_min(base->cwnd_bytes + ack->bytes, FF_WINDOW_MAX_BYTES); /* [search.exit.growth-first] */
    }
    switch (readings->lower) {
    case FF_SEARCH_LOWER_NOTHING:
        base->ssthresh_bytes = base->cwnd_bytes; /* [search.exit.lower-nothing] */
        break;
    case FF_SEARCH_LOWER_THRESHOLD_ONLY:
        base->ssthresh_bytes = lowered_bytes(readings, state, base); /* [search.exit.lower-threshold] */
        break;
    default:
        base->ssthresh_bytes = base->cwnd_bytes = lowered_bytes(readings, state, base); /* [search.exit.lower] */
    }
}

/* Return one initial RTT in bins, rounded up. The RTT is derived from the bin duration, in whole units. */
static int drain_bins(const struct ff_search *state)
{
    uint64_t rtt_ticks = FF_SEARCH_TICKS_PER_UNIT * (state->bin_ticks / FF_SEARCH_BIN_TICKS_PER_RTT); /* below 2^64 - 2^62 */

    return (int)((rtt_ticks + state->bin_ticks - 1) / state->bin_ticks); /* [search.drain.bins] */
}

void ff_search_begin_drain(const struct ff_search_readings *readings, struct ff_search *state,
                           const struct ff_base_state *base)
{
    struct ff_search_more *more = ff_search_more(readings, state);
    uint64_t start_bytes = ff_search_delivered_bytes(readings, state, drain_bins(state));
    uint64_t end_bytes = ff_search_delivered_bytes(readings, state, 0);
    uint64_t target_bytes = as_shifted(readings, state, start_bytes, end_bytes);
    uint64_t least_bytes = FF_SEARCH_DRAIN_MINIMUM_PACKETS * base->max_datagram_size_bytes;

    if (readings->drain_unit == FF_SEARCH_DRAIN_UNIT_WHOLE_PACKETS) {
        target_bytes -= target_bytes % base->max_datagram_size_bytes; /* [search.drain.whole-packets] */
    }
    more->target_bytes = ff_max(target_bytes, least_bytes); /* [search.drain.target] */
    more->drain_acked = 0;
    state->gate_ns = 0;
}

/* Return the bytes or packets that an ACK acknowledges, in the unit of the drain. */
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

/* Return the acknowledged bytes or packets per packet that the drain releases, in the same unit. */
static uint64_t drained_per_packet(const struct ff_search_readings *readings, const struct ff_base_state *base)
{
    if (readings->drain_unit == FF_SEARCH_DRAIN_UNIT_BYTES) {
        return FF_SEARCH_DRAIN_PACKETS * base->max_datagram_size_bytes; /* [search.drain.bytes] */
    }
    return FF_SEARCH_DRAIN_PACKETS;
}

enum ff_outcome ff_search_drain(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                                const struct ff_ack *ack)
{
    struct ff_search_more *more = (struct ff_search_more *)state->more; /* every profile that drains has it */
    uint64_t datagram_bytes = base->max_datagram_size_bytes;

    ff_search_count(&state->delivered, ack->bytes);
    more->drain_acked += drained(readings, ack); /* below 2^63: each part is counted as delivered */
    if (ack->latest_rtt_ns == FF_NO_RTT_NS && readings->missing_rtt == FF_SEARCH_MISSING_RTT_SKIP) {
        return FF_OUTCOME_NO_RTT_SAMPLE; /* [search.drain.no-sample] */
    }
    uint64_t per_packet = drained_per_packet(readings, base);
    uint64_t leaving = more->drain_acked / per_packet;
    more->drain_acked %= per_packet;
    /* Flight and product are unbounded. Each is limited, but still fills the largest window; the sum is below 2^63. */
    uint64_t leaving_bytes = ff_min(leaving, FF_WINDOW_MAX_BYTES / datagram_bytes + 1) * datagram_bytes;
    uint64_t cwnd_bytes = ff_min(ack->bytes_in_flight, FF_WINDOW_MAX_BYTES) + leaving_bytes;
    if (cwnd_bytes > more->target_bytes) {
        base->cwnd_bytes = ff_min(cwnd_bytes, FF_WINDOW_MAX_BYTES); /* [search.drain.step] */
        return FF_OUTCOME_DRAINING;
    }
    base->cwnd_bytes = base->ssthresh_bytes = more->target_bytes; /* [search.drain.end] */
    ff_search_forget(readings, state);
    return FF_OUTCOME_DRAINED;
}
