/* BBR as quinn-proto has it. Mirrors reference-py/src/firstflight/bbr/quinn.py. */
#include "firstflight/bbr/quinn.h"

#include "firstflight/bbr/ieee754.h"
#include "firstflight/bbr/model.h"
#include "firstflight/bbr/state.h"
#include "firstflight/minmax.h"

#define SECOND_NS UINT64_C(1000000000)
#define MICROSECOND_NS UINT64_C(1000)
#define MIN_CWND_PACKETS UINT64_C(4)
#define FULL_BW_ROUNDS 3
#define PROBE_RTT_AFTER_NS (10 * SECOND_NS)
#define PROBE_RTT_NS UINT64_C(200000000)
/* The least volume that is more than the high gain. */
#define ABOVE_HIGH_GAIN 3

static const struct ff_bbr_number one = {UINT64_C(0x8000000000000000), -63};
static const struct ff_bbr_number million = {UINT64_C(0xf424000000000000), -44};
/* K_DEFAULT_HIGH_GAIN, drain_gain, K_DERIVED_HIGH_CWNDGAIN, K_STARTUP_GROWTH_TARGET, K_MODERATE_PROBE_RTT_MULTIPLIER. */
static const struct ff_bbr_number high_gain = {UINT64_C(0xb8a3d70000000000), -62};
static const struct ff_bbr_number drain_gain = {UINT64_C(0xb1783c0000000000), -65};
static const struct ff_bbr_number probe_bw_cwnd_gain = {UINT64_C(0x8000000000000000), -62};
static const struct ff_bbr_number growth_target = {UINT64_C(0xa000000000000000), -63};
static const struct ff_bbr_number probe_rtt_gain = {UINT64_C(0xc000000000000000), -64};

static void forget_heights(struct ff_bbr_quinn *state)
{
    for (uint32_t k = 0; k < FF_BBR_KEPT; k++) {
        state->max_ack_height[k] = (struct ff_bbr_round_rate){0, ff_bbr_rate_zero};
    }
}

void ff_bbr_quinn_begin(struct ff_bbr_quinn *state, const struct ff_newreno *base)
{
    *state = (struct ff_bbr_quinn){
        .initial_window_bytes = base->cwnd_bytes,
        .cwnd_bytes = base->cwnd_bytes,
        .sent_ns = FF_NONE,
        .prev_sent_ns = FF_NONE,
        .acked_ns = FF_NONE,
        .path_min_rtt_ns = FF_BBR_QUINN_INITIAL_RTT_NS,
        .aggregation_epoch_start_ns = FF_NONE,
        .probe_rtt_last_started_ns = FF_NONE,
        .exit_probe_rtt_ns = FF_NONE,
        .phase = FF_PHASE_STARTUP,
    };
    forget_heights(state); /* [bbr.quinn] */
}

static uint64_t scaled(uint64_t rate, struct ff_bbr_number gain)
{
    struct ff_bbr_number number = ff_bbr_number_of(rate, FF_BBR_DOUBLE_BITS);

    return ff_bbr_saturate(ff_bbr_truncated(ff_bbr_product(number, gain, FF_BBR_DOUBLE_BITS))); /* [bbr.quinn.float] */
}

static uint64_t min_cwnd_bytes(const struct ff_newreno *base)
{
    return MIN_CWND_PACKETS * base->max_datagram_size_bytes;
}

/* Return a multiple of the bandwidth-delay product, at least four datagrams. */
static uint64_t target_cwnd_bytes(const struct ff_bbr_quinn *state, const struct ff_newreno *base,
                                  struct ff_bbr_number gain)
{
    uint64_t product = ff_bbr_over(state->bw, state->min_rtt_ns / MICROSECOND_NS, 1);
    struct ff_bbr_number bdp = ff_bbr_number_of(product, FF_BBR_DOUBLE_BITS);
    bdp = ff_bbr_quotient(ff_bbr_product(gain, bdp, FF_BBR_DOUBLE_BITS), million, FF_BBR_DOUBLE_BITS);
    uint64_t cwnd_bytes = ff_bbr_truncated(bdp); /* [bbr.quinn.target] */

    if (cwnd_bytes == 0) {
        return state->initial_window_bytes; /* [bbr.quinn.target.none] */
    }
    return ff_max(cwnd_bytes, min_cwnd_bytes(base));
}

static enum ff_outcome on_sent(struct ff_bbr_quinn *state, uint64_t t_ns, const struct ff_sent *sent)
{
    state->sent_bytes = sent->bytes;
    state->prev_sent_ns = state->sent_ns;
    state->sent_ns = t_ns;
    state->max_sent_packet = sent->packets[sent->run_count - 1].last;
    state->app_limited = sent->app_limited; /* [bbr.quinn.app-limited] */
    return FF_OUTCOME_SENT;
}

/* Take a rate into the largest: the smaller of that of the last transmission and that of the first packet of the ACK. */
static void update_bandwidth(struct ff_bbr_quinn *state, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t acked_ns = state->acked_ns;

    state->acked_ns = t_ns;
    if (state->sent_ns == FF_NONE || state->prev_sent_ns == FF_NONE || acked_ns == FF_NONE || t_ns == acked_ns) {
        return; /* [bbr.quinn.bw.none] */
    }
    uint64_t rate = ff_bbr_over(ack->packets[0].size_bytes, SECOND_NS, t_ns - acked_ns); /* [bbr.quinn.bw.acked] */
    if (state->sent_ns > state->prev_sent_ns) {
        uint64_t sent_rate = ff_bbr_over(state->sent_bytes, SECOND_NS, state->sent_ns - state->prev_sent_ns);
        rate = ff_min(rate, sent_rate); /* [bbr.quinn.bw] */
    }
    if (!state->app_limited) {
        state->bw = ff_max(state->bw, rate); /* [bbr.quinn.bw.max] */
    }
}

static bool is_min_rtt_expired(const struct ff_bbr_quinn *state, uint64_t now_ns)
{
    uint64_t started_ns = state->probe_rtt_last_started_ns;

    return !state->app_limited && (started_ns == FF_NONE || now_ns - started_ns > PROBE_RTT_AFTER_NS);
}

static void update_min_rtt(struct ff_bbr_quinn *state, uint64_t now_ns)
{
    if (is_min_rtt_expired(state, now_ns) || state->min_rtt_ns > state->path_min_rtt_ns) {
        state->min_rtt_ns = state->path_min_rtt_ns; /* [bbr.quinn.min-rtt] */
    }
}

/* Return how much more was acknowledged than expected since the epoch began, 0 where it begins anew. */
static uint64_t update_ack_aggregation_bytes(struct ff_bbr_quinn *state, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t start_ns = state->aggregation_epoch_start_ns == FF_NONE ? t_ns : state->aggregation_epoch_start_ns;
    uint64_t expected_bytes = ff_bbr_over(state->bw, (t_ns - start_ns) / MICROSECOND_NS, 1000000);

    if (state->aggregation_epoch_bytes <= expected_bytes) {
        state->aggregation_epoch_bytes = ack->bytes; /* [bbr.quinn.aggregation.anew] */
        state->aggregation_epoch_start_ns = t_ns;
        return 0;
    }
    state->aggregation_epoch_bytes = ff_bbr_saturate(state->aggregation_epoch_bytes + ack->bytes);
    uint64_t excess_bytes = state->aggregation_epoch_bytes - expected_bytes; /* [bbr.quinn.aggregation] */
    ff_bbr_running_max(state->max_ack_height, (struct ff_bbr_round_rate){state->round_count, {excess_bytes, 1}});
    return excess_bytes;
}

/* Return whether a round begins. */
static bool update_round(struct ff_bbr_quinn *state, const struct ff_ack *ack)
{
    state->max_acked_packet = ff_max(state->max_acked_packet, ack->packets[ack->run_count - 1].last);
    if (state->max_acked_packet <= state->round_end_packet) {
        return false;
    }
    state->round_end_packet = state->max_sent_packet; /* [bbr.quinn.round] */
    state->round_count++;
    return true;
}

static void update_recovery_state(struct ff_bbr_quinn *state, bool round_start)
{
    if (state->lost_bytes > 0) {
        state->end_recovery_packet = state->max_sent_packet;
    }
    if (!state->in_recovery) {
        if (state->lost_bytes > 0) {
            state->in_recovery = state->conservation = true; /* [bbr.quinn.recovery] */
            state->recovery_window_bytes = 0;
            state->round_end_packet = state->max_sent_packet;
        }
        return;
    }
    if (round_start) {
        state->conservation = false; /* [bbr.quinn.recovery.growth] */
    }
    if (state->lost_bytes == 0 && state->max_acked_packet > state->end_recovery_packet) {
        state->in_recovery = false; /* [bbr.quinn.recovery.end] */
    }
}

static enum ff_outcome maybe_exit_startup_or_drain(struct ff_bbr_quinn *state, const struct ff_newreno *base,
                                                   const struct ff_ack *ack)
{
    if (state->phase == FF_PHASE_STARTUP && state->is_at_full_bandwidth) {
        state->phase = FF_PHASE_DRAIN; /* [bbr.quinn.drain] */
    }
    if (state->phase == FF_PHASE_DRAIN && ack->bytes_in_flight <= target_cwnd_bytes(state, base, one)) {
        state->phase = FF_PHASE_PROBE_BW; /* [bbr.quinn.drain.done] */
        return FF_OUTCOME_DRAINED;
    }
    return FF_OUTCOME_UNCHANGED;
}

static enum ff_outcome maybe_enter_or_exit_probe_rtt(struct ff_bbr_quinn *state, const struct ff_newreno *base,
                                                     uint64_t t_ns, const struct ff_ack *ack, bool round_start)
{
    enum ff_outcome outcome = FF_OUTCOME_UNCHANGED;

    if (is_min_rtt_expired(state, t_ns) && state->phase != FF_PHASE_PROBE_RTT) {
        state->phase = FF_PHASE_PROBE_RTT; /* [bbr.quinn.probe-rtt] */
        state->exit_probe_rtt_ns = FF_NONE;
        state->probe_rtt_last_started_ns = t_ns;
        outcome = FF_OUTCOME_PROBE_RTT_BEGUN;
    }
    if (state->phase != FF_PHASE_PROBE_RTT) {
        return FF_OUTCOME_UNCHANGED;
    }
    if (state->exit_probe_rtt_ns == FF_NONE) {
        uint64_t size_bytes = base->max_datagram_size_bytes;
        if (ack->bytes_in_flight < target_cwnd_bytes(state, base, probe_rtt_gain) + size_bytes) {
            state->exit_probe_rtt_ns = t_ns + PROBE_RTT_NS; /* [bbr.quinn.probe-rtt.time] */
        }
    } else if (round_start && t_ns >= state->exit_probe_rtt_ns) {
        state->phase = state->is_at_full_bandwidth ? FF_PHASE_PROBE_BW : FF_PHASE_STARTUP; /* [bbr.quinn.probe-rtt.end] */
        outcome = state->is_at_full_bandwidth ? FF_OUTCOME_PROBE_RTT_ENDED : FF_OUTCOME_STARTUP_RESUMED;
    }
    return outcome;
}

static struct ff_bbr_number pacing_gain(const struct ff_bbr_quinn *state)
{
    if (state->phase == FF_PHASE_STARTUP) {
        return high_gain;
    }
    return state->phase == FF_PHASE_DRAIN ? drain_gain : one; /* [bbr.quinn.steady] */
}

static void calculate_pacing_rate(struct ff_bbr_quinn *state)
{
    if (state->bw == 0) {
        return;
    }
    uint64_t target_rate = scaled(state->bw, pacing_gain(state));

    if (state->is_at_full_bandwidth) {
        state->pacing_rate = target_rate; /* [bbr.quinn.pacing.full] */
    } else if (state->pacing_rate == 0 && state->min_rtt_ns > 0) {
        state->pacing_rate = ff_bbr_over(state->initial_window_bytes, SECOND_NS, state->min_rtt_ns); /* [bbr.quinn.pacing.initial] */
    } else {
        state->pacing_rate = ff_max(state->pacing_rate, target_rate); /* [bbr.quinn.pacing] */
    }
}

static void calculate_cwnd(struct ff_bbr_quinn *state, const struct ff_newreno *base, uint64_t acked_bytes,
                           uint64_t excess_bytes)
{
    if (state->phase == FF_PHASE_PROBE_RTT) {
        return; /* [bbr.quinn.cwnd.probe-rtt] */
    }
    struct ff_bbr_number gain = state->phase == FF_PHASE_PROBE_BW ? probe_bw_cwnd_gain : high_gain; /* [bbr.quinn.cwnd.gain] */
    uint64_t height_bytes = state->max_ack_height[0].rate.delivered_bytes;
    state->extra_acked_bytes = state->is_at_full_bandwidth ? height_bytes : excess_bytes;
    uint64_t target_bytes = ff_bbr_saturate(target_cwnd_bytes(state, base, gain) + state->extra_acked_bytes);
    state->max_inflight_bytes = target_bytes;

    if (state->is_at_full_bandwidth) {
        state->cwnd_bytes = ff_min(target_bytes, ff_bbr_saturate(state->cwnd_bytes + acked_bytes)); /* [bbr.quinn.cwnd.full] */
    } else if (target_bytes >= ABOVE_HIGH_GAIN || state->acked_bytes < state->initial_window_bytes) {
        state->cwnd_bytes = ff_bbr_saturate(state->cwnd_bytes + acked_bytes); /* [bbr.quinn.cwnd] */
    }
    state->cwnd_bytes = ff_max(state->cwnd_bytes, min_cwnd_bytes(base)); /* [bbr.quinn.cwnd.least] */
}

static void calculate_recovery_window(struct ff_bbr_quinn *state, const struct ff_newreno *base, const struct ff_ack *ack)
{
    if (!state->in_recovery) {
        return;
    }
    uint64_t least_bytes = ff_max(ff_bbr_saturate(ack->bytes_in_flight + ack->bytes), min_cwnd_bytes(base));
    if (state->recovery_window_bytes == 0) {
        state->recovery_window_bytes = least_bytes; /* [bbr.quinn.recovery.window] */
        return;
    }
    uint64_t window_bytes = base->max_datagram_size_bytes;
    if (state->recovery_window_bytes >= state->lost_bytes) {
        window_bytes = state->recovery_window_bytes - state->lost_bytes;
    }
    if (!state->conservation) {
        window_bytes = ff_bbr_saturate(window_bytes + ack->bytes);
    }
    state->recovery_window_bytes = ff_max(window_bytes, least_bytes); /* [bbr.quinn.recovery.window.later] */
}

/* Count a round without growth; the pipe is full with three, and in recovery with one. */
static enum ff_outcome check_if_full_bw_reached(struct ff_bbr_quinn *state)
{
    if (state->app_limited) {
        return FF_OUTCOME_APP_LIMITED; /* [bbr.quinn.full-bw.app-limited] */
    }
    if (state->bw >= scaled(state->bw_at_last_round, growth_target)) {
        state->bw_at_last_round = state->bw; /* [bbr.quinn.full-bw.grown] */
        state->round_wo_bw_gain = 0;
        forget_heights(state);
        return FF_OUTCOME_BW_GROWN;
    }
    state->round_wo_bw_gain++;
    if (state->round_wo_bw_gain >= FULL_BW_ROUNDS) {
        state->is_at_full_bandwidth = true; /* [bbr.quinn.full-bw] */
        return FF_OUTCOME_EXITED_BY_PLATEAU;
    }
    if (state->in_recovery) {
        state->is_at_full_bandwidth = true; /* [bbr.quinn.full-bw.recovery] */
        return FF_OUTCOME_EXITED_BY_LOSS;
    }
    return FF_OUTCOME_PLATEAU_COUNTED;
}

static uint64_t window_bytes(const struct ff_bbr_quinn *state, const struct ff_newreno *base)
{
    if (state->phase == FF_PHASE_PROBE_RTT) {
        return target_cwnd_bytes(state, base, probe_rtt_gain); /* [bbr.quinn.window.probe-rtt] */
    }
    if (state->in_recovery && state->phase != FF_PHASE_STARTUP) {
        return ff_min(state->cwnd_bytes, state->recovery_window_bytes); /* [bbr.quinn.window.recovery] */
    }
    return state->cwnd_bytes;
}

/* Carry out what is done once for an ACK; return what it led to. */
static enum ff_outcome on_end_acks(struct ff_bbr_quinn *state, const struct ff_newreno *base, uint64_t t_ns,
                                   const struct ff_ack *ack)
{
    uint64_t excess_bytes = update_ack_aggregation_bytes(state, t_ns, ack);
    bool round_start = update_round(state, ack);
    update_recovery_state(state, round_start);
    bool was_full = state->is_at_full_bandwidth;
    enum ff_outcome counted = round_start && !was_full ? check_if_full_bw_reached(state) : FF_OUTCOME_UNCHANGED;
    enum ff_outcome drained = maybe_exit_startup_or_drain(state, base, ack);
    enum ff_outcome probed = maybe_enter_or_exit_probe_rtt(state, base, t_ns, ack, round_start);
    calculate_pacing_rate(state);
    calculate_cwnd(state, base, ack->bytes, excess_bytes);
    calculate_recovery_window(state, base, ack);
    state->lost_bytes = 0;
    if (state->is_at_full_bandwidth && !was_full) {
        return counted;
    }
    if (drained != FF_OUTCOME_UNCHANGED) {
        return drained;
    }
    return probed != FF_OUTCOME_UNCHANGED ? probed : counted;
}

static enum ff_outcome on_ack(struct ff_bbr_quinn *state, struct ff_newreno *base, uint64_t t_ns,
                              const struct ff_ack *ack)
{
    uint64_t before_bytes = base->cwnd_bytes;

    update_bandwidth(state, t_ns, ack);
    state->acked_bytes = ff_bbr_saturate(state->acked_bytes + ack->bytes);
    update_min_rtt(state, t_ns);
    enum ff_outcome outcome = on_end_acks(state, base, t_ns, ack);
    if (ack->min_rtt_ns != FF_NO_RTT_NS) {
        state->path_min_rtt_ns = ff_min(ack->min_rtt_ns, FF_BBR_QUINN_INITIAL_RTT_NS); /* [bbr.quinn.min-rtt.path] */
    }
    base->cwnd_bytes = window_bytes(state, base);
    if (outcome == FF_OUTCOME_UNCHANGED && base->cwnd_bytes > before_bytes) {
        return FF_OUTCOME_GROWN;
    }
    return outcome;
}

static enum ff_outcome on_lost(struct ff_bbr_quinn *state, const struct ff_lost *lost)
{
    bool first = state->lost_bytes == 0;

    state->lost_bytes = ff_bbr_saturate(state->lost_bytes + lost->bytes); /* [bbr.quinn.lost] */
    return first ? FF_OUTCOME_LOSS_NOTED : FF_OUTCOME_ALREADY_NOTED;
}

static enum ff_outcome on_event(struct ff_bbr_quinn *state, struct ff_newreno *base, const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(state, base, event->t_ns, &event->ack);
    case FF_EVENT_SENT:
        return on_sent(state, event->t_ns, &event->sent);
    case FF_EVENT_LOST:
        return on_lost(state, &event->lost);
    case FF_EVENT_CE:
    case FF_EVENT_PERSISTENT_CONGESTION:
    case FF_EVENT_SPURIOUS_LOSS:
    case FF_EVENT_BACKLOG:
    case FF_EVENT_IDLE_RESTART:
    case FF_EVENT_PTO:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_PATH_CHANGE:
        break;
    }
    return FF_OUTCOME_UNCHANGED; /* [bbr.quinn.others] */
}

void ff_bbr_quinn_step(struct ff_bbr_quinn *state, struct ff_newreno *base, const struct ff_event *event,
                       struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(state, base, event);

    if (observation == NULL) {
        return;
    }
    ff_observation_clear(observation);
    observation->cwnd_bytes = base->cwnd_bytes;
    observation->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    observation->phase = state->phase;
    observation->outcome = outcome;
    observation->max_bw_delivered_bytes = state->bw;
    observation->max_bw_interval_ns = SECOND_NS;
    observation->full_bw_delivered_bytes = state->bw_at_last_round;
    observation->full_bw_interval_ns = SECOND_NS;
    observation->full_bw_count = state->round_wo_bw_gain;
    observation->round_count = state->round_count;
    observation->min_rtt_ns = state->min_rtt_ns > 0 ? state->min_rtt_ns : FF_NONE;
    observation->bdp_bytes = target_cwnd_bytes(state, base, one);
    observation->extra_acked_bytes = state->extra_acked_bytes;
    observation->max_inflight_bytes = state->max_inflight_bytes;
    observation->inflight_shortterm_bytes = state->in_recovery ? state->recovery_window_bytes : FF_NONE;
    observation->pacing_rate_bytes_per_s = state->pacing_rate;
}
