/* Loss and recovery of JumpStart. Mirrors reference-py/src/firstflight/jumpstart/loss.py. */
#include "firstflight/jumpstart/loss.h"

#include "firstflight/cubic/window.h"
#include "firstflight/limits.h"
#include "firstflight/minmax.h"

/* Add to R, which saturates at the largest packet number. */
static void add_repeats(struct ff_jumpstart *state, uint64_t packets)
{
    state->repeats = ff_min(state->repeats + packets, FF_PACKET_MAX);
}

void ff_jumpstart_count_repeats(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                const struct ff_base_state *base, const struct ff_sent *sent)
{
    if (!base->in_recovery || readings->accounting != FF_JUMPSTART_ACCOUNTING_HALF_OF_REST) {
        return;
    }
    bool first_flight = readings->counted_data == FF_JUMPSTART_COUNTED_DATA_FIRST_FLIGHT;
    for (size_t i = 0; i < sent->retransmit_count; i++) {
        uint64_t first = sent->retransmits[i].first, last = sent->retransmits[i].last;
        uint64_t packets = first_flight ? ff_jumpstart_overlap(state, first, last) : last - first + 1;
        add_repeats(state, packets); /* [jumpstart.loss.count] [jumpstart.loss.count.flight] */
    }
}

/* Return whether a loss or CE mark begins a recovery. TCP's recovery lasts until all earlier data is acknowledged. */
static bool begins_recovery(const struct ff_jumpstart_readings *readings, const struct ff_base_state *base,
                            uint64_t sent_t_ns)
{
    if (base->in_recovery && readings->recovery_end == FF_JUMPSTART_RECOVERY_END_ALL_DATA) {
        return false; /* [jumpstart.loss.once] */
    }
    return !ff_newreno_sent_before_recovery(base, sent_t_ns);
}

/* Return whether the first loss reduces the window before the jump. */
static bool takes_back(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                       const struct ff_base_state *base, uint64_t packet)
{
    if (readings->first_loss_window == FF_JUMPSTART_FIRST_LOSS_WINDOW_UNCHANGED ||
        base->ssthresh_bytes != FF_SSTHRESH_INFINITE) {
        return false;
    }
    return state->flight_first != FF_NO_PACKET && packet < state->flight_end;
}

static uint64_t reduced_bytes(const struct ff_jumpstart_readings *readings, const struct ff_base_state *base,
                              uint64_t window_bytes)
{
    uint64_t packets;

    switch (readings->reduction_factor) {
    case FF_JUMPSTART_REDUCTION_FACTOR_HALF_THEN_SEVEN_TENTHS:
        if (base->ssthresh_bytes == FF_SSTHRESH_INFINITE) {
            return window_bytes / 2;
        }
        return ff_cubic_seven_tenths(window_bytes); /* [jumpstart.loss.seven-tenths] */
    case FF_JUMPSTART_REDUCTION_FACTOR_SEVEN_TENTHS_OF_PACKETS:
        packets = ff_cubic_seven_tenths(window_bytes / base->max_datagram_size_bytes);
        return packets * base->max_datagram_size_bytes; /* [jumpstart.loss.whole-packets] */
    default:
        return ff_newreno_reduced_bytes(base, window_bytes);
    }
}

/* After a loss or CE mark in a recovery, or at its beginning: decide whether its end is accounted for. */
static void decide_accounting(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state, bool of_flight)
{
    if (readings->accounting != FF_JUMPSTART_ACCOUNTING_HALF_OF_REST) {
        return;
    }
    state->accounting = state->accounting || (of_flight && !state->accounted); /* [jumpstart.loss.scope] */
}

/* Begin a recovery. `packet`: the first lost or marked packet. */
static void reduce(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state, struct ff_base_state *base,
                   uint64_t now_ns, uint64_t packet, bool of_flight)
{
    uint64_t window_bytes = base->cwnd_bytes;

    if (readings->reduction_basis == FF_JUMPSTART_REDUCTION_BASIS_IN_FLIGHT) {
        window_bytes = state->in_flight_bytes; /* [jumpstart.loss.in-flight] */
    }
    if (takes_back(readings, state, base, packet)) {
        window_bytes = ff_max(state->acked_bytes, state->initial_window_bytes); /* [jumpstart.loss.take-back] */
    }
    uint64_t least_bytes = ff_newreno_minimum_window_bytes(base);
    uint64_t left_bytes = ff_max(reduced_bytes(readings, base, window_bytes), least_bytes);
    ff_newreno_begin_recovery(base, now_ns, left_bytes, window_bytes); /* [jumpstart.loss.reduce] */
    if (state->jumping && readings->first_loss_end == FF_JUMPSTART_FIRST_LOSS_END_LOST_PACKET) {
        state->flight_end = ff_max(packet, state->flight_first); /* [jumpstart.loss.flight-end] */
    }
    state->jumping = false; /* [jumpstart.loss.reduce.least] */
    state->reduced = true;
    state->accounting = false;
    state->repeats = 0;
    state->recovery_point = state->next_packet;
    decide_accounting(readings, state, of_flight);
}

enum ff_outcome ff_jumpstart_on_lost(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                     struct ff_base_state *base, uint64_t t_ns, const struct ff_lost *lost)
{
    enum ff_outcome outcome = FF_OUTCOME_ALREADY_REDUCED;
    uint64_t latest_sent_t_ns = 0;

    if (lost->pmtu_probe) {
        ff_jumpstart_set_in_flight(state, lost->bytes_in_flight);
        return ff_newreno_on_lost(base, t_ns, lost);
    }
    for (size_t i = 0; i < lost->run_count; i++) {
        latest_sent_t_ns = ff_max(latest_sent_t_ns, lost->packets[i].sent_t_ns);
    }
    bool of_flight = ff_jumpstart_packets_in_flight(state, lost->packets, lost->run_count) > 0;
    if (begins_recovery(readings, base, latest_sent_t_ns)) {
        reduce(readings, state, base, t_ns, lost->packets[0].first, of_flight);
        outcome = FF_OUTCOME_REDUCED;
    } else if (base->in_recovery) {
        decide_accounting(readings, state, of_flight);
    }
    ff_jumpstart_set_in_flight(state, lost->bytes_in_flight);
    return outcome;
}

enum ff_outcome ff_jumpstart_on_ce(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                   struct ff_base_state *base, uint64_t t_ns, const struct ff_ce *ce)
{
    bool accounted = readings->ecn == FF_JUMPSTART_ECN_ACCOUNTED;
    bool of_flight = accounted && ff_jumpstart_in_flight(state, ce->packet); /* [jumpstart.loss.ecn] */

    if (begins_recovery(readings, base, ce->sent_t_ns)) {
        reduce(readings, state, base, t_ns, ce->packet, of_flight);
        return FF_OUTCOME_REDUCED;
    }
    if (base->in_recovery) {
        decide_accounting(readings, state, of_flight);
    }
    return FF_OUTCOME_ALREADY_REDUCED;
}

bool ff_jumpstart_recovery_ended(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                                 const struct ff_base_state *base, const struct ff_ack *ack)
{
    if (readings->recovery_end == FF_JUMPSTART_RECOVERY_END_ALL_DATA && ack->oldest_unacked_packet != FF_NO_PACKET) {
        return ack->oldest_unacked_packet >= state->recovery_point; /* [jumpstart.recovery.all-data] */
    }
    for (size_t i = 0; i < ack->run_count; i++) {
        if (!ff_newreno_sent_before_recovery(base, ack->packets[i].sent_t_ns)) {
            return true;
        }
    }
    return false;
}

void ff_jumpstart_account(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                          struct ff_base_state *base)
{
    uint64_t packet_bytes = base->max_datagram_size_bytes;
    uint64_t flight_packets = state->sent_packets;
    bool some = flight_packets > state->repeats; /* [jumpstart.account.rounding] */
    uint64_t rest_packets = some ? flight_packets - state->repeats : 0; /* [jumpstart.account.half] */
    uint64_t half_packets =
        readings->result_rounding == FF_JUMPSTART_RESULT_ROUNDING_DOWN ? rest_packets / 2 : (rest_packets + 1) / 2;
    uint64_t least_packets = readings->result_floor == FF_JUMPSTART_RESULT_FLOOR_ONE_PACKET ? 1 : 2;
    /* At most FF_WINDOW_MAX_BYTES. */
    uint64_t packets = ff_max(half_packets, least_packets); /* [jumpstart.account.floor] */
    uint64_t window_bytes = ff_min(packets, FF_WINDOW_MAX_BYTES / packet_bytes) * packet_bytes;

    if (readings->result_raise == FF_JUMPSTART_RESULT_RAISE_NEVER) {
        window_bytes = ff_min(window_bytes, base->cwnd_bytes); /* [jumpstart.account.never-raises] */
    }
    base->cwnd_bytes = window_bytes;
    if (readings->result_threshold == FF_JUMPSTART_RESULT_THRESHOLD_FOLLOWS) {
        base->ssthresh_bytes = ff_max(window_bytes, 2 * packet_bytes); /* [jumpstart.account.threshold] */
    }
    state->accounting = false;
    state->accounted = true; /* [jumpstart.loss.scope.once] */
}

void ff_jumpstart_count_acked(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                              const struct ff_ack *ack)
{
    if (readings->accounting != FF_JUMPSTART_ACCOUNTING_ACKED_SHARE ||
        !ff_jumpstart_in_flight(state, ack->packets[ack->run_count - 1].last)) {
        return;
    }
    /* Below 2^62 + 2^48. */
    state->acked_bytes = ff_min(state->acked_bytes + ack->bytes, FF_WINDOW_MAX_BYTES); /* [jumpstart.acked.count] */
}

bool ff_jumpstart_raise_to_share(const struct ff_jumpstart_readings *readings, const struct ff_jumpstart *state,
                                 struct ff_base_state *base, const struct ff_run *last)
{
    if (readings->accounting != FF_JUMPSTART_ACCOUNTING_ACKED_SHARE || !ff_jumpstart_in_flight(state, last->last)) {
        return false;
    }
    uint64_t share_bytes = ff_cubic_seven_tenths(state->acked_bytes);
    if (base->cwnd_bytes >= share_bytes) {
        return false;
    }
    base->cwnd_bytes = share_bytes; /* [jumpstart.acked.share] */
    return true;
}

/* Return the window after a timeout, or FF_NONE if it does not change. */
static uint64_t timeout_window_bytes(const struct ff_jumpstart_readings *readings, const struct ff_base_state *base)
{
    if (readings->timeout_window == FF_JUMPSTART_TIMEOUT_WINDOW_ONE_PACKET) {
        return base->max_datagram_size_bytes; /* [jumpstart.timeout.window] [jumpstart.timeout.ends] */
    }
    return FF_NONE; /* [jumpstart.timeout.none] */
}

enum ff_outcome ff_jumpstart_on_timeout(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                        struct ff_base_state *base)
{
    uint64_t window_bytes = timeout_window_bytes(readings, base);

    if (window_bytes == FF_NONE) {
        return FF_OUTCOME_UNCHANGED;
    }
    state->jumping = false;
    (void)ff_newreno_on_persistent_congestion(base);
    state->accounting = false; /* [jumpstart.timeout.discard] */
    state->accounted = true; /* [jumpstart.timeout.discard] */
    base->cwnd_bytes = window_bytes;
    return FF_OUTCOME_COLLAPSED;
}
