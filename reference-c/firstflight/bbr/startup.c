/* The beginning and end of Startup and Drain. Mirrors reference-py/src/firstflight/bbr/startup.py. */
#include "firstflight/bbr/startup.h"

#include "firstflight/bbr/control.h"
#include "firstflight/bbr/model.h"
#include "firstflight/bbr/packets.h"
#include "firstflight/minmax.h"

void ff_bbr_enter_startup(const struct ff_bbr_readings *readings, struct ff_bbr *state)
{
    state->phase = FF_PHASE_STARTUP;
    state->pacing_gain = FF_BBR_STARTUP_PACING_GAIN; /* [bbr.startup] */
    state->cwnd_gain = FF_BBR_DEFAULT_CWND_GAIN;
    if (readings->gains == FF_BBR_GAINS_LINUX_V1) {
        state->pacing_gain = state->cwnd_gain = FF_BBR_V1_HIGH_GAIN; /* [bbr.gains.v1] */
    } else if (readings->gains == FF_BBR_GAINS_LINUX_V3) {
        state->pacing_gain = FF_BBR_V3_STARTUP_GAIN; /* [bbr.gains.v3] */
    }
}

void ff_bbr_reset_full_bw(struct ff_bbr *state)
{
    state->full_bw = ff_bbr_rate_zero; /* [bbr.full-bw.reset] */
    state->full_bw_count = 0;
    state->full_bw_now = false;
}

static bool has_grown(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                      const struct ff_base_state *base, struct ff_bbr_rate rate)
{
    if (ff_bbr_in_packets(readings)) {
        return ff_bbr_packets_has_grown(rate, state->full_bw, base->max_datagram_size_bytes); /* [bbr.units.grown] */
    }
    return ff_bbr_has_grown(rate, state->full_bw);
}

enum ff_outcome ff_bbr_check_full_bw_reached(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                             const struct ff_base_state *base, const struct ff_bbr_sample *sample)
{
    bool looked_at = state->round_start;
    if (readings->growth_at == FF_BBR_GROWTH_AT_ACK) {
        looked_at = sample->prior_delivered_bytes != FF_BBR_INFINITE; /* [bbr.full-bw.any-ack] */
    }
    if (state->full_bw_now || !looked_at) {
        return FF_OUTCOME_UNCHANGED; /* [bbr.full-bw.round] */
    }
    bool in_startup = state->phase == FF_PHASE_STARTUP;
    if (sample->app_limited) {
        return in_startup && state->round_start ? FF_OUTCOME_APP_LIMITED : FF_OUTCOME_UNCHANGED; /* [bbr.full-bw.app-limited] */
    }
    struct ff_bbr_rate rate = readings->growth_of == FF_BBR_GROWTH_OF_MAX_BW ? state->max_bw : sample->rate; /* [bbr.full-bw.max-bw] */
    if (has_grown(readings, state, base, rate)) { /* [bbr.full-bw.grown] */
        ff_bbr_reset_full_bw(state);
        state->full_bw = rate;
        return in_startup ? FF_OUTCOME_BW_GROWN : FF_OUTCOME_UNCHANGED;
    }
    if (!state->round_start) {
        return FF_OUTCOME_UNCHANGED; /* [bbr.full-bw.any-ack.count] */
    }
    state->full_bw_count++; /* [bbr.full-bw.count] */
    state->full_bw_now = state->full_bw_count >= FF_BBR_FULL_BW_ROUNDS;
    if (state->full_bw_now) {
        state->full_bw_reached = true; /* [bbr.full-bw.reached] */
    }
    return in_startup ? FF_OUTCOME_PLATEAU_COUNTED : FF_OUTCOME_UNCHANGED;
}

bool ff_bbr_is_inflight_too_high(const struct ff_bbr_readings *readings, const struct ff_base_state *base,
                                 const struct ff_bbr_sample *sample)
{
    if (readings->units == FF_BBR_UNITS_PACKETS_V3) {
        uint64_t size_bytes = base->max_datagram_size_bytes;
        uint64_t share_bytes = ff_bbr_packets_share_bytes(sample->in_flight_bytes, FF_BBR_LOSS_THRESH_PARTS, size_bytes);
        return sample->in_flight_bytes > 0 && sample->lost_bytes > share_bytes; /* [bbr.units.v3.loss] */
    }
    return sample->lost_bytes > sample->in_flight_bytes / FF_BBR_LOSS_THRESH; /* [bbr.loss-exit.rate] */
}

/* Return whether the losses of the ended round indicate a full pipe. */
static bool has_high_loss(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                          const struct ff_base_state *base, const struct ff_bbr_sample *sample)
{
    uint64_t least = readings->loss_exit_count;
    uint64_t counted = readings->loss_exit_counts == FF_BBR_LOSS_EXIT_COUNTS_ACKS ? state->lost_acks : state->lost_ranges;

    if (!state->loss_round_start || least == 0 || counted < least) {
        return false; /* [bbr.loss-exit.ranges] */
    }
    if (!base->in_recovery || state->timeout) {
        return false; /* [bbr.loss-exit.recovery] */
    }
    bool full_round = sample->prior_delivered_bytes >= state->recovery_delivered_bytes;
    if (readings->loss_exit_recovery == FF_BBR_LOSS_EXIT_RECOVERY_GOES_ON) {
        full_round = true; /* [bbr.loss-exit.goes-on] */
    }
    if (!full_round) {
        return false; /* [bbr.loss-exit.full-round] */
    }
    return ff_bbr_is_inflight_too_high(readings, base, sample);
}

static void leave_by_loss(const struct ff_bbr_readings *readings, struct ff_bbr *state, const struct ff_base_state *base)
{
    state->full_bw_reached = true; /* [bbr.loss-exit] */
    if (readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        uint64_t held_bytes = ff_bbr_inflight_bytes(readings, state, base, state->max_bw); /* [bbr.loss-exit.long-term.v3] */
        state->inflight_longterm_bytes = ff_max(held_bytes, state->inflight_latest_bytes);
        return;
    }
    state->undo_startup = true; /* [bbr.loss-exit.undo] */
    state->inflight_longterm_bytes = ff_max(state->bdp_bytes, state->inflight_latest_bytes); /* [bbr.loss-exit.long-term] */
}

enum ff_outcome ff_bbr_check_startup_high_loss(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                               const struct ff_base_state *base, const struct ff_bbr_sample *sample)
{
    enum ff_outcome outcome = FF_OUTCOME_UNCHANGED;

    if (readings->loss_exit_counts == FF_BBR_LOSS_EXIT_COUNTS_ACKS && state->newly_lost_bytes > 0) {
        state->lost_acks++; /* [bbr.loss-exit.acks] */
    }
    if (state->phase == FF_PHASE_STARTUP && has_high_loss(readings, state, base, sample)) {
        leave_by_loss(readings, state, base);
        outcome = FF_OUTCOME_EXITED_BY_LOSS;
    }
    if (state->loss_round_start) {
        state->lost_ranges = state->lost_acks = 0; /* [bbr.loss-exit.ranges.round] */
    }
    return outcome;
}

/* Return the rate for the bandwidth-delay product that ends Drain. */
static struct ff_bbr_rate held_rate(const struct ff_bbr_readings *readings, const struct ff_bbr *state)
{
    if (readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        return state->max_bw; /* [bbr.drain.v3.max-bw] */
    }
    return state->bw;
}

enum ff_outcome ff_bbr_check_startup_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                          const struct ff_base_state *base, const struct ff_bbr_sample *sample)
{
    enum ff_outcome outcome = ff_bbr_check_startup_high_loss(readings, state, base, sample);

    if (state->phase == FF_PHASE_STARTUP && state->full_bw_reached) {
        ff_bbr_enter_drain(readings, state); /* [bbr.startup.done] */
        if (readings->threshold == FF_BBR_THRESHOLD_EXIT) {
            state->ssthresh_bytes = ff_bbr_inflight_bytes(readings, state, base, held_rate(readings, state)); /* [bbr.threshold] */
        }
        ff_bbr_reset_congestion_signals(readings, state);
        return outcome == FF_OUTCOME_UNCHANGED ? FF_OUTCOME_EXITED_BY_PLATEAU : outcome;
    }
    return FF_OUTCOME_UNCHANGED;
}

void ff_bbr_enter_drain(const struct ff_bbr_readings *readings, struct ff_bbr *state)
{
    state->phase = FF_PHASE_DRAIN;
    state->pacing_gain = FF_BBR_DRAIN_PACING_GAIN; /* [bbr.drain] */
    state->cwnd_gain = FF_BBR_DEFAULT_CWND_GAIN;
    if (readings->gains == FF_BBR_GAINS_LINUX_V1) {
        state->pacing_gain = FF_BBR_V1_DRAIN_GAIN; /* [bbr.gains.v1.drain] */
        state->cwnd_gain = FF_BBR_V1_HIGH_GAIN;
    } else if (readings->gains == FF_BBR_GAINS_LINUX_V3) {
        state->pacing_gain = FF_BBR_V1_DRAIN_GAIN; /* [bbr.gains.v3.drain] */
    }
    state->drain_start_round = state->round_count;
}

static bool has_timed_out(const struct ff_bbr_readings *readings, const struct ff_bbr *state)
{
    uint64_t rounds = state->round_count - state->drain_start_round;

    return readings->drain_rounds == FF_BBR_DRAIN_ROUNDS_FOURTH && rounds > FF_BBR_DRAIN_ROUNDS; /* [bbr.drain.rounds] */
}

/* Return the bytes in flight, now or at the next departure. After the exit from Startup a quantum is added. */
static uint64_t in_flight_bytes(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                const struct ff_base_state *base, uint64_t now_ns, bool exited)
{
    if (readings->drain_compares == FF_BBR_DRAIN_COMPARES_IN_FLIGHT) {
        return state->in_flight_bytes;
    }
    uint64_t due_ns = state->next_send_ns == FF_NONE ? 0 : state->next_send_ns;
    uint64_t volume = state->in_flight_bytes;
    if (exited) {
        volume += state->send_quantum_bytes; /* [bbr.drain.departure.exit] */
    }
    uint64_t gone_bytes = ff_bbr_delivers_bytes(readings, state, base, ff_max(due_ns, now_ns) - now_ns);
    return volume - ff_min(volume, gone_bytes); /* [bbr.drain.departure] */
}

enum ff_outcome ff_bbr_check_drain_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                        const struct ff_base_state *base, uint64_t now_ns, bool exited)
{
    if (state->phase != FF_PHASE_DRAIN) {
        return FF_OUTCOME_UNCHANGED;
    }
    uint64_t volume = in_flight_bytes(readings, state, base, now_ns, exited);
    if (volume <= ff_bbr_inflight_bytes(readings, state, base, held_rate(readings, state))) {
        ff_bbr_enter_probe_bw(state); /* [bbr.drain.done] */
        if (readings->losses == FF_BBR_LOSSES_LINUX_V3) {
            ff_bbr_reset_congestion_signals(readings, state);
            state->next_round_delivered_bytes = state->delivered_bytes; /* [bbr.drain.v3.round] */
        }
        return FF_OUTCOME_DRAINED;
    }
    if (has_timed_out(readings, state)) {
        ff_bbr_enter_probe_bw(state);
        return FF_OUTCOME_DRAIN_TIMED_OUT;
    }
    return FF_OUTCOME_UNCHANGED;
}

void ff_bbr_enter_probe_bw(struct ff_bbr *state)
{
    state->phase = FF_PHASE_PROBE_BW;
    state->pacing_gain = FF_BBR_GAIN_UNIT; /* [bbr.probe-bw] */
    state->cwnd_gain = FF_BBR_DEFAULT_CWND_GAIN;
}

void ff_bbr_raise_long_term(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                            const struct ff_base_state *base, const struct ff_bbr_sample *sample)
{
    if (readings->losses != FF_BBR_LOSSES_LINUX_V3 || !state->full_bw_reached || state->inflight_longterm_bytes == FF_BBR_INFINITE) {
        return;
    }
    if (!ff_bbr_is_inflight_too_high(readings, base, sample)) {
        state->inflight_longterm_bytes = ff_max(state->inflight_longterm_bytes, sample->in_flight_bytes); /* [bbr.long-term.v3] */
    }
}
