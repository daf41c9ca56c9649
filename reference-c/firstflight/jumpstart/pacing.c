/* The first flight of JumpStart. Mirrors reference-py/src/firstflight/jumpstart/pacing.py. */
#include "firstflight/jumpstart/pacing.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/observables.h"

uint64_t ff_jumpstart_rtt_ns(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                             const struct ff_backlog *backlog)
{
    if (readings->rtt == FF_JUMPSTART_RTT_SMOOTHED && state->smoothed_rtt_ns != FF_NO_RTT_NS) {
        return state->smoothed_rtt_ns; /* [jumpstart.start.smoothed] */
    }
    if (backlog->latest_rtt_ns == FF_NO_RTT_NS && readings->missing_rtt == FF_JUMPSTART_MISSING_RTT_DEFAULT) {
        return FF_JUMPSTART_DEFAULT_RTT_NS; /* [jumpstart.start.default-rtt] */
    }
    return backlog->latest_rtt_ns;
}

uint64_t ff_jumpstart_packets_of(uint64_t count_bytes, uint64_t packet_bytes)
{
    return count_bytes / packet_bytes + (count_bytes % packet_bytes != 0 ? 1 : 0);
}

uint64_t ff_jumpstart_receive_window_bytes(const struct ff_jumpstart_readings *readings, uint64_t packet_bytes,
                                           const struct ff_backlog *backlog)
{
    uint64_t window_bytes = backlog->receive_window_bytes;

    switch (readings->receive_window) {
    case FF_JUMPSTART_RECEIVE_WINDOW_DOWN:
        window_bytes /= packet_bytes; /* [jumpstart.amount.whole-packets] */
        return window_bytes * packet_bytes; /* [jumpstart.amount.receive-window] */
    case FF_JUMPSTART_RECEIVE_WINDOW_BYTES:
        return window_bytes; /* [jumpstart.amount.receive-window-bytes] */
    default:
        return FF_NONE;
    }
}

static uint64_t wanted_bytes(const struct ff_jumpstart_readings *readings, uint64_t packet_bytes,
                             const struct ff_backlog *backlog, uint64_t spread_ns)
{
    uint64_t rate_bytes;

    switch (readings->amount) {
    case FF_JUMPSTART_AMOUNT_QUEUED_TO_CAP:
        return ff_min(backlog->queued_bytes, UINT64_C(1024) * readings->cap_kib); /* [jumpstart.amount.capped] */
    case FF_JUMPSTART_AMOUNT_CAP:
        return UINT64_C(1024) * readings->cap_kib; /* [jumpstart.amount.constant] */
    case FF_JUMPSTART_AMOUNT_PACKETS:
        return readings->jump_packets * ff_min(packet_bytes, FF_JUMPSTART_PACKET_MAX_BYTES); /* [jumpstart.amount.packets] */
    case FF_JUMPSTART_AMOUNT_RATE:
        /* Quotient and rest of RTT / 8000 are below 2^47 and 2^13, and the rate is below 2^8. */
        rate_bytes = spread_ns / FF_JUMPSTART_MBIT_BYTE_NS * readings->rate_mbit +
                     spread_ns % FF_JUMPSTART_MBIT_BYTE_NS * readings->rate_mbit / FF_JUMPSTART_MBIT_BYTE_NS; /* [jumpstart.amount.headers] */
        return ff_min(backlog->queued_bytes, rate_bytes); /* [jumpstart.amount.rate] */
    default:
        break;
    }
    /* At most 2^62 + 2^16. */
    return ff_jumpstart_packets_of(backlog->queued_bytes, packet_bytes) * packet_bytes; /* [jumpstart.amount.queued] */
}

uint64_t ff_jumpstart_amount_bytes(const struct ff_jumpstart_readings *readings, uint64_t packet_bytes,
                                   const struct ff_backlog *backlog, uint64_t spread_ns)
{
    uint64_t flight_bytes = wanted_bytes(readings, packet_bytes, backlog, spread_ns);
    uint64_t allowed_bytes = ff_jumpstart_receive_window_bytes(readings, packet_bytes, backlog);

    /* [jumpstart.amount.receive-window] [jumpstart.amount.receive-window-bytes] */
    flight_bytes = ff_min(flight_bytes, allowed_bytes); /* FF_NONE, no limit, is the largest number */
    if (flight_bytes > FF_JUMP_MAX_BYTES) {
        return FF_JUMP_MAX_BYTES; /* [jumpstart.amount.maximum] */
    }
    return flight_bytes;
}

bool ff_jumpstart_sent_at_once(const struct ff_jumpstart_readings *readings, uint64_t flight_bytes)
{
    return readings->small_amount == FF_JUMPSTART_SMALL_AMOUNT_AT_ONCE && flight_bytes <= FF_JUMPSTART_SMALL_BYTES;
}

/* Return the index of the packet that sets the time of the burst of this packet. */
static uint64_t burst_index(uint64_t index)
{
    if (index < FF_JUMPSTART_BURST_HIGH_PACKETS) {
        return 0;
    }
    return (index - FF_JUMPSTART_BURST_LOW_PACKETS) / 2 * 2; /* [jumpstart.pacing.burst] */
}

/* Return the time from the start of the flight to its next packet, from the packet's index and rounded once. */
static uint64_t offset_ns(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                          uint64_t packet_bytes)
{
    uint64_t index = state->sent_packets;
    uint64_t part;
    uint64_t whole;

    if (readings->burst == FF_JUMPSTART_BURST_TEN_THEN_PAIRS) {
        index = burst_index(index);
    }
    switch (readings->gap) {
    case FF_JUMPSTART_GAP_INTERVALS:
        part = index;
        whole = ff_max(state->planned_packets, 2) - 1;
        break;
    case FF_JUMPSTART_GAP_BYTES:
        part = index * packet_bytes; /* [jumpstart.pacing.bytes] */
        whole = state->amount_bytes;
        break;
    case FF_JUMPSTART_GAP_RATE:
        /* The packet belongs to the flight: below 2^29 + 2^16, times 2^13. */
        index *= packet_bytes * FF_JUMPSTART_MBIT_BYTE_NS; /* [jumpstart.pacing.rate] */
        return index / readings->rate_mbit; /* [jumpstart.pacing.rate-times] */
    default:
        part = index; /* [jumpstart.pacing.packets] [jumpstart.pacing.times] */
        whole = state->planned_packets;
        break;
    }
    if (readings->gain == FF_JUMPSTART_GAIN_SIX_FIFTHS) {
        part = 5 * part; /* [jumpstart.pacing.gain] */
        whole = 6 * whole;
    }
    /*
     * rtt * part / whole, with quotient and rest of rtt / whole. The packet belongs to the flight, so part <= whole and
     * the first product is at most the RTT. The factors of the second are below 6 * 2^29 and 5 * 2^29: it is below
     * 2^63.
     */
    return state->rtt_ns / whole * part + state->rtt_ns % whole * part / whole;
}

uint64_t ff_jumpstart_next_release_ns(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                                      uint64_t packet_bytes)
{
    if (!state->jumping || state->sent_packets >= state->limit_packets) {
        return FF_NONE;
    }
    if (state->at_once) {
        return state->start_ns; /* [jumpstart.pacing.at-once] */
    }
    /* Both are below 2^59. */
    return state->start_ns + offset_ns(readings, state, packet_bytes);
}
