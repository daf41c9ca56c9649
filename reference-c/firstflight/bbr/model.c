/* The path model of BBR. Mirrors reference-py/src/firstflight/bbr/model.py. */
#include "firstflight/bbr/model.h"

#include "firstflight/bbr/packets.h"
#include "firstflight/bbr/sample.h"
#include "firstflight/minmax.h"

void ff_bbr_update_latest_delivery_signals(struct ff_bbr *state, const struct ff_bbr_sample *sample)
{
    uint64_t prior_bytes = sample->prior_delivered_bytes;

    state->loss_round_start = false;
    state->bw_latest = ff_bbr_larger(state->bw_latest, sample->rate); /* [bbr.latest] */
    state->inflight_latest_bytes = ff_max(state->inflight_latest_bytes, sample->delivered_bytes);
    if (prior_bytes != FF_BBR_INFINITE && prior_bytes >= state->loss_round_delivered_bytes) {
        state->loss_round_delivered_bytes = state->delivered_bytes; /* [bbr.loss-round] */
        state->loss_round_start = true;
    }
}

void ff_bbr_update_round(struct ff_bbr *state, const struct ff_bbr_sample *sample)
{
    uint64_t prior_bytes = sample->prior_delivered_bytes;

    state->round_start = prior_bytes != FF_BBR_INFINITE && prior_bytes >= state->next_round_delivered_bytes;
    if (state->round_start) {
        state->next_round_delivered_bytes = state->delivered_bytes; /* [bbr.round] */
        state->round_count++;
        if (state->packet_conservation) {
            state->packet_conservation = false; /* [bbr.conservation.round] */
        }
    }
}

/* Update the three rates of the maximum filter over ten rounds, the maximum first. */
static void running_max(struct ff_bbr_round_rate kept[FF_BBR_KEPT], struct ff_bbr_round_rate now)
{
    struct ff_bbr_round_rate *first = &kept[0], *second = &kept[1], *third = &kept[2];
    struct ff_bbr_rate rate = now.rate;

    if (!ff_bbr_exceeds(first->rate, rate) || now.round_count - third->round_count > FF_BBR_MAX_BW_ROUNDS) {
        *first = *second = *third = now; /* [bbr.max-bw.ten.anew] */
    } else if (!ff_bbr_exceeds(second->rate, rate)) {
        *second = *third = now; /* [bbr.max-bw.ten.second] */
    } else if (!ff_bbr_exceeds(third->rate, rate)) {
        *third = now;
    }
    uint64_t age = now.round_count - first->round_count;
    if (age > FF_BBR_MAX_BW_ROUNDS) {
        *first = *second; /* [bbr.max-bw.ten] */
        *second = *third;
        *third = now;
        if (now.round_count - first->round_count > FF_BBR_MAX_BW_ROUNDS) {
            *first = *second;
            *second = *third;
        }
    } else if (second->round_count == first->round_count && age > FF_BBR_MAX_BW_ROUNDS / 4) {
        *second = *third = now; /* [bbr.max-bw.ten.quarter] */
    } else if (third->round_count == second->round_count && age > FF_BBR_MAX_BW_ROUNDS / 2) {
        *third = now; /* [bbr.max-bw.ten.half] */
    }
}

void ff_bbr_update_max_bw(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                          const struct ff_bbr_sample *sample)
{
    ff_bbr_update_round(state, sample);
    if (sample->app_limited && ff_bbr_exceeds(state->max_bw, sample->rate)) {
        return; /* [bbr.max-bw.app-limited] */
    }
    if (readings->max_bw_window == FF_BBR_MAX_BW_WINDOW_TEN_ROUNDS) {
        if (sample->prior_delivered_bytes != FF_BBR_INFINITE) {
            running_max(state->max_bw_kept, (struct ff_bbr_round_rate){state->round_count, sample->rate});
            state->max_bw = state->max_bw_kept[0].rate;
        }
        return;
    }
    state->max_bw = ff_bbr_larger(state->max_bw, sample->rate); /* [bbr.max-bw] */
}

static void init_lower_bounds(struct ff_bbr *state, const struct ff_base_state *base)
{
    if (state->bw_shortterm.interval_ns == 0) {
        state->bw_shortterm = state->max_bw; /* [bbr.short-term.begin] */
    }
    if (state->inflight_shortterm_bytes == FF_BBR_INFINITE) {
        state->inflight_shortterm_bytes = base->cwnd_bytes;
    }
}

static void loss_lower_bounds(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                              const struct ff_base_state *base)
{
    struct ff_bbr_rate reduced_rate = ff_bbr_reduced(state->bw_shortterm);
    uint64_t reduced_inflight_bytes = ff_bbr_reduced_bytes(state->inflight_shortterm_bytes);

    if (readings->units == FF_BBR_UNITS_PACKETS_V3) {
        uint64_t size_bytes = base->max_datagram_size_bytes;
        reduced_rate = ff_bbr_packets_reduced(state->bw_shortterm, FF_BBR_LOSS_CUT, size_bytes); /* [bbr.units.v3.cut] */
        reduced_inflight_bytes = ff_bbr_packets_share_bytes(state->inflight_shortterm_bytes, FF_BBR_LOSS_CUT, size_bytes);
    }
    state->bw_shortterm = ff_bbr_larger(state->bw_latest, reduced_rate); /* [bbr.short-term] */
    state->inflight_shortterm_bytes = ff_max(state->inflight_latest_bytes, reduced_inflight_bytes);
}

void ff_bbr_adapt_lower_bounds_from_congestion(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                               const struct ff_base_state *base)
{
    if (state->phase == FF_PHASE_STARTUP) {
        return; /* [bbr.short-term.startup] */
    }
    if (state->is_loss_in_round) {
        init_lower_bounds(state, base);
        loss_lower_bounds(readings, state, base);
    }
}

void ff_bbr_update_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                      const struct ff_base_state *base, const struct ff_bbr_sample *sample)
{
    ff_bbr_update_max_bw(readings, state, sample);
    if (state->loss_round_start) {
        ff_bbr_adapt_lower_bounds_from_congestion(readings, state, base);
        state->is_loss_in_round = false; /* [bbr.loss-round.ends] */
    }
    if (readings->bw_changes == FF_BBR_BW_CHANGES_AT_ONCE) {
        ff_bbr_bound_bw_for_model(state); /* [bbr.bw.at-once] */
    }
}

/* Update the smallest RTT of ten seconds, initially the minimum RTT of the connection. */
static void update_min_rtt_alone(const struct ff_bbr_readings *readings, struct ff_bbr *state, uint64_t t_ns,
                                 const struct ff_ack *ack)
{
    if (state->min_rtt_ns == FF_BBR_INFINITE && ack->min_rtt_ns != FF_NO_RTT_NS) {
        state->min_rtt_ns = ff_bbr_clocked_ns(readings, ack->min_rtt_ns); /* [bbr.min-rtt.connection] */
        state->min_rtt_stamp_ns = t_ns;
    }
    bool expired = t_ns > state->min_rtt_stamp_ns + FF_BBR_MIN_RTT_FILTER_NS;
    if (ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return;
    }
    uint64_t rtt_ns = ff_bbr_clocked_ns(readings, ack->latest_rtt_ns);
    if (rtt_ns < state->min_rtt_ns || expired) {
        state->min_rtt_ns = rtt_ns; /* [bbr.min-rtt.alone] */
        state->min_rtt_stamp_ns = t_ns;
    }
}

void ff_bbr_update_min_rtt(const struct ff_bbr_readings *readings, struct ff_bbr *state, uint64_t t_ns,
                           const struct ff_ack *ack)
{
    if (readings->min_rtt_window == FF_BBR_MIN_RTT_WINDOW_ONE) {
        update_min_rtt_alone(readings, state, t_ns, ack);
        return;
    }
    bool is_linux = readings->min_rtt_window == FF_BBR_MIN_RTT_WINDOW_TWO_LINUX;
    if (is_linux && state->min_rtt_ns == FF_BBR_INFINITE && ack->min_rtt_ns != FF_NO_RTT_NS) {
        state->min_rtt_ns = state->probe_rtt_min_delay_ns = ff_bbr_clocked_ns(readings, ack->min_rtt_ns); /* [bbr.min-rtt.v3] */
        state->min_rtt_stamp_ns = state->probe_rtt_min_stamp_ns = t_ns;
    }
    bool expired = t_ns > state->probe_rtt_min_stamp_ns + FF_BBR_PROBE_RTT_INTERVAL_NS;
    uint64_t rtt_ns = ack->latest_rtt_ns == FF_NO_RTT_NS ? FF_NO_RTT_NS : ff_bbr_clocked_ns(readings, ack->latest_rtt_ns);

    if (rtt_ns != FF_NO_RTT_NS && (rtt_ns < state->probe_rtt_min_delay_ns || expired)) {
        state->probe_rtt_min_delay_ns = rtt_ns; /* [bbr.min-rtt.delay] */
        state->probe_rtt_min_stamp_ns = t_ns;
    }
    expired = t_ns > state->min_rtt_stamp_ns + FF_BBR_MIN_RTT_FILTER_NS;
    if (is_linux && state->probe_rtt_min_delay_ns == state->min_rtt_ns) {
        state->min_rtt_stamp_ns = state->probe_rtt_min_stamp_ns; /* [bbr.min-rtt.v3.equal] */
    } else if (state->probe_rtt_min_delay_ns < state->min_rtt_ns || expired) {
        state->min_rtt_ns = state->probe_rtt_min_delay_ns; /* [bbr.min-rtt] */
        state->min_rtt_stamp_ns = state->probe_rtt_min_stamp_ns;
    }
}

void ff_bbr_advance_latest_delivery_signals(struct ff_bbr *state, const struct ff_bbr_sample *sample)
{
    if (state->loss_round_start) {
        state->bw_latest = sample->rate; /* [bbr.latest.advance] */
        state->inflight_latest_bytes = sample->delivered_bytes;
    }
}

void ff_bbr_bound_bw_for_model(struct ff_bbr *state)
{
    state->bw = ff_bbr_smaller(state->max_bw, state->bw_shortterm); /* [bbr.bw] */
}

void ff_bbr_reset_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state)
{
    if (readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        state->is_loss_in_round = false; /* [bbr.signals.v3] */
        state->bw_latest = ff_bbr_rate_zero;
        state->inflight_latest_bytes = 0;
    }
}
