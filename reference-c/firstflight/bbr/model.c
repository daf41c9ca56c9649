/* What BBR knows of the path. Mirrors reference-py/src/firstflight/bbr/model.py. */
#include "firstflight/bbr/model.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"

static struct ff_bbr_rate delivery_rate(const struct ff_ack *ack)
{
    if (ack->min_rtt_ns != FF_NO_RTT_NS && ack->rate_interval_ns < ack->min_rtt_ns) {
        return ff_bbr_rate_zero; /* [bbr.sample.short] */
    }
    if (ack->rate_interval_ns == 0) {
        return ff_bbr_rate_zero; /* [bbr.sample.no-time] */
    }
    return (struct ff_bbr_rate){ack->rate_delivered_bytes, ack->rate_interval_ns}; /* [bbr.sample.rate] */
}

struct ff_bbr_sample ff_bbr_generate_rate_sample(struct ff_bbr *state, const struct ff_ack *ack)
{
    struct ff_bbr_sample sample = {ff_bbr_rate_zero, 0, FF_BBR_INFINITE, 0, 0, false};

    state->in_flight_bytes = ff_bbr_saturate(ack->bytes_in_flight);
    if (ack->rate_delivered_bytes == UINT64_MAX) {
        state->delivered_bytes = ff_bbr_saturate(state->delivered_bytes + ack->bytes); /* [bbr.sample.none] */
    } else {
        state->delivered_bytes =
            ff_bbr_saturate(ack->rate_prior_delivered_bytes + ack->rate_delivered_bytes); /* [bbr.sample.delivered] */
        sample.rate = delivery_rate(ack);
        sample.delivered_bytes = ack->rate_delivered_bytes;
        sample.prior_delivered_bytes = ack->rate_prior_delivered_bytes;
        sample.app_limited = ack->rate_app_limited;
        sample.in_flight_bytes = ack->rate_in_flight_bytes;
        sample.lost_bytes = ack->rate_lost_bytes;
    }
    if (state->delivered_bytes > state->app_limited_bytes) {
        state->app_limited_bytes = 0; /* [bbr.idle.cleared] */
    }
    return sample;
}

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
        state->extra_acked_rounds[state->round_count % FF_BBR_EXTRA_ACKED_ROUNDS] = 0;
    }
}

void ff_bbr_update_max_bw(struct ff_bbr *state, const struct ff_bbr_sample *sample)
{
    ff_bbr_update_round(state, sample);
    if (sample->app_limited && ff_bbr_exceeds(state->max_bw, sample->rate)) {
        return; /* [bbr.max-bw.app-limited] */
    }
    state->max_bw = ff_bbr_larger(state->max_bw, sample->rate); /* [bbr.max-bw] */
}

static void init_lower_bounds(struct ff_bbr *state, const struct ff_newreno *base)
{
    if (state->bw_shortterm.interval_ns == 0) {
        state->bw_shortterm = state->max_bw; /* [bbr.short-term.begin] */
    }
    if (state->inflight_shortterm_bytes == FF_BBR_INFINITE) {
        state->inflight_shortterm_bytes = base->cwnd_bytes;
    }
}

static void loss_lower_bounds(struct ff_bbr *state)
{
    state->bw_shortterm = ff_bbr_larger(state->bw_latest, ff_bbr_reduced(state->bw_shortterm)); /* [bbr.short-term] */
    uint64_t reduced_inflight_bytes = ff_bbr_reduced_bytes(state->inflight_shortterm_bytes);
    state->inflight_shortterm_bytes = ff_max(state->inflight_latest_bytes, reduced_inflight_bytes);
}

static void adapt_lower_bounds_from_congestion(struct ff_bbr *state, const struct ff_newreno *base)
{
    if (state->phase == FF_PHASE_STARTUP) {
        return; /* [bbr.short-term.startup] */
    }
    if (state->is_loss_in_round) {
        init_lower_bounds(state, base);
        loss_lower_bounds(state);
    }
}

void ff_bbr_update_congestion_signals(struct ff_bbr *state, const struct ff_newreno *base,
                                      const struct ff_bbr_sample *sample)
{
    ff_bbr_update_max_bw(state, sample);
    if (!state->loss_round_start) {
        return;
    }
    adapt_lower_bounds_from_congestion(state, base);
    state->is_loss_in_round = false; /* [bbr.loss-round.ends] */
}

void ff_bbr_update_ack_aggregation(struct ff_bbr *state, const struct ff_newreno *base, uint64_t t_ns,
                                   const struct ff_ack *ack)
{
    uint64_t expected_bytes = ff_bbr_volume_bytes(state->bw, t_ns - state->extra_acked_interval_start_ns);

    if (state->extra_acked_delivered_bytes <= expected_bytes) {
        state->extra_acked_delivered_bytes = 0; /* [bbr.extra-acked.anew] */
        state->extra_acked_interval_start_ns = t_ns;
        expected_bytes = 0;
    }
    state->extra_acked_delivered_bytes = ff_bbr_saturate(state->extra_acked_delivered_bytes + ack->bytes);
    uint64_t extra_bytes = ff_min(state->extra_acked_delivered_bytes - expected_bytes, base->cwnd_bytes); /* [bbr.extra-acked.sample] */
    uint64_t *slot = &state->extra_acked_rounds[state->round_count % FF_BBR_EXTRA_ACKED_ROUNDS];
    *slot = ff_max(*slot, extra_bytes);
    state->extra_acked_bytes = *slot; /* [bbr.extra-acked.startup] */
    if (state->full_bw_reached) {
        for (size_t i = 0; i < FF_BBR_EXTRA_ACKED_ROUNDS; i++) {
            state->extra_acked_bytes = ff_max(state->extra_acked_bytes, state->extra_acked_rounds[i]); /* [bbr.extra-acked] */
        }
    }
}

void ff_bbr_update_min_rtt(struct ff_bbr *state, uint64_t t_ns, const struct ff_ack *ack)
{
    bool expired = t_ns > state->probe_rtt_min_stamp_ns + FF_BBR_PROBE_RTT_INTERVAL_NS;
    uint64_t rtt_ns = ack->latest_rtt_ns;

    if (rtt_ns != FF_NO_RTT_NS && (rtt_ns < state->probe_rtt_min_delay_ns || expired)) {
        state->probe_rtt_min_delay_ns = rtt_ns; /* [bbr.min-rtt.delay] */
        state->probe_rtt_min_stamp_ns = t_ns;
    }
    expired = t_ns > state->min_rtt_stamp_ns + FF_BBR_MIN_RTT_FILTER_NS;
    if (state->probe_rtt_min_delay_ns < state->min_rtt_ns || expired) {
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
