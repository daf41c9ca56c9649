/* Event processing of BBR's Startup and Drain. Mirrors reference-py/src/firstflight/bbr/bbr.py. */
#include "firstflight/bbr/bbr.h"

#include "firstflight/bbr/rate.h"
#include "firstflight/minmax.h"

void ff_bbr_begin(const struct ff_bbr_readings *readings, struct ff_bbr *state, const struct ff_base_state *base)
{
    *state = (struct ff_bbr){ /* [bbr.begin] */
        .initial_window_bytes = base->cwnd_bytes,
        .max_bw = ff_bbr_rate_zero,
        .max_bw_kept = {{0, ff_bbr_rate_zero}, {0, ff_bbr_rate_zero}, {0, ff_bbr_rate_zero}},
        .bw = ff_bbr_rate_zero,
        .bw_shortterm = ff_bbr_rate_infinite,
        .bw_latest = ff_bbr_rate_zero,
        .inflight_longterm_bytes = FF_BBR_INFINITE,
        .inflight_shortterm_bytes = FF_BBR_INFINITE,
        .min_rtt_ns = FF_BBR_INFINITE,
        .probe_rtt_min_delay_ns = FF_BBR_INFINITE,
        .full_bw = ff_bbr_rate_zero,
        .next_lost_packet = FF_NO_PACKET,
        .undo_bw_shortterm = ff_bbr_rate_zero,
        .ssthresh_bytes = FF_BBR_INFINITE,
        .next_send_ns = FF_NONE,
    };
    if (readings->losses == FF_BBR_LOSSES_LINUX_V3) {
        state->loss_round_delivered_bytes = base->max_datagram_size_bytes; /* [bbr.loss-round.v3] */
    }
    ff_bbr_enter_startup(readings, state);
    ff_bbr_init_pacing_rate(readings, state, base, FF_BBR_INITIAL_RTT_NS); /* [bbr.pacing.initial.none] */
}

static void handle_restart_from_idle(const struct ff_bbr_readings *readings, struct ff_bbr *state, uint64_t t_ns,
                                     const struct ff_sent *sent)
{
    if (sent->bytes_in_flight <= sent->bytes && state->app_limited_bytes > 0) {
        state->extra_acked_interval_start_ns = t_ns; /* [bbr.idle] */
        if (readings->extra_acked == FF_BBR_EXTRA_ACKED_LINUX || readings->extra_acked == FF_BBR_EXTRA_ACKED_LINUX_V3) {
            state->extra_acked_delivered_bytes = 0; /* [bbr.idle.linux] */
        }
    }
}

static enum ff_outcome on_sent(const struct ff_bbr_readings *readings, struct ff_bbr *state, uint64_t t_ns,
                               const struct ff_sent *sent)
{
    handle_restart_from_idle(readings, state, t_ns, sent);
    ff_bbr_pace_sent(state, t_ns, sent);
    state->in_flight_bytes = ff_bbr_saturate(sent->bytes_in_flight);
    ff_bbr_limit_sent(state, sent);
    return FF_OUTCOME_SENT;
}

/* Return whether an ACK leaves most of the model unchanged. */
static bool is_skipped(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                       const struct ff_bbr_sample *sample)
{
    if (readings->app_limited_acks == FF_BBR_APP_LIMITED_ACKS_COUNTED || !state->window_reached) {
        return false;
    }
    return !state->is_loss_in_round && sample->app_limited && ff_bbr_exceeds(state->max_bw, sample->rate);
}

/* Apply the few changes of an app-limited ACK; return the outcome, and store whether the control parameters change. */
static enum ff_outcome update_little(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                     const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                     const struct ff_bbr_sample *sample, bool *changes)
{
    uint64_t min_rtt_ns = state->min_rtt_ns;

    ff_bbr_update_latest_delivery_signals(state, sample); /* [bbr.app-limited.v3] */
    ff_bbr_update_round(state, sample); /* [bbr.app-limited.skipped] */
    bool is_limited = state->round_start && state->phase == FF_PHASE_STARTUP;
    enum ff_outcome drained = ff_bbr_check_drain_done(readings, state, base, t_ns, false);
    ff_bbr_raise_long_term(readings, state, base, sample);
    ff_bbr_update_min_rtt(readings, state, t_ns, ack);
    ff_bbr_advance_latest_delivery_signals(state, sample);
    *changes = drained != FF_OUTCOME_UNCHANGED || state->min_rtt_ns != min_rtt_ns;
    return drained == FF_OUTCOME_UNCHANGED && is_limited ? FF_OUTCOME_APP_LIMITED : drained;
}

/* Apply the steps of an ACK in the order of the draft; return the outcome. */
static enum ff_outcome update_model_and_state(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                              const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                              const struct ff_bbr_sample *sample)
{
    ff_bbr_update_latest_delivery_signals(state, sample); /* [bbr.order] */
    ff_bbr_update_congestion_signals(readings, state, base, sample);
    ff_bbr_update_ack_aggregation(readings, state, base, t_ns, ack, sample);
    enum ff_outcome counted = ff_bbr_check_full_bw_reached(readings, state, base, sample);
    enum ff_outcome exited = ff_bbr_check_startup_done(readings, state, base, sample);
    bool has_exited = exited != FF_OUTCOME_UNCHANGED;
    enum ff_outcome drained = ff_bbr_check_drain_done(readings, state, base, t_ns, has_exited);
    ff_bbr_raise_long_term(readings, state, base, sample);
    ff_bbr_update_min_rtt(readings, state, t_ns, ack);
    if (has_exited) {
        return exited;
    }
    return drained != FF_OUTCOME_UNCHANGED ? drained : counted;
}

static void update_control_parameters(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                      struct ff_base_state *base, const struct ff_ack *ack,
                                      const struct ff_bbr_sample *sample)
{
    ff_bbr_advance_latest_delivery_signals(state, sample);
    ff_bbr_bound_bw_for_model(state);
    ff_bbr_set_pacing_rate(readings, state, base, ack);
    ff_bbr_set_send_quantum(readings, state, base);
    ff_bbr_deduct_losses(readings, state, base);
    ff_bbr_leave_recovery(state, base, ack);
    ff_bbr_begin_conservation(state, base, ack);
    ff_bbr_set_cwnd(readings, state, base, ack);
}

static enum ff_outcome on_ack(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                              uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t before_bytes = base->cwnd_bytes;

    ff_bbr_leave_recovery_first(readings, state, base, ack);
    struct ff_bbr_sample sample = ff_bbr_generate_rate_sample(readings, state, base, ack);
    enum ff_outcome outcome;
    bool changes = true;

    if (is_skipped(readings, state, &sample)) {
        outcome = update_little(readings, state, base, t_ns, ack, &sample, &changes);
    } else {
        outcome = update_model_and_state(readings, state, base, t_ns, ack, &sample);
    }
    if (changes) {
        update_control_parameters(readings, state, base, ack, &sample);
    }
    if (outcome == FF_OUTCOME_UNCHANGED && base->cwnd_bytes > before_bytes) {
        return FF_OUTCOME_GROWN;
    }
    return outcome;
}

static enum ff_outcome on_event(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                                const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event->t_ns, &event->ack);
    case FF_EVENT_SENT:
        return on_sent(readings, state, event->t_ns, &event->sent);
    case FF_EVENT_LOST:
        return ff_bbr_on_lost(readings, state, base, event->t_ns, &event->lost);
    case FF_EVENT_CE:
        return ff_bbr_on_ce(readings, state, base, event->t_ns, &event->ce);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return ff_bbr_on_enter_rto(readings, state, base, event->t_ns);
    case FF_EVENT_SPURIOUS_LOSS:
        return ff_bbr_handle_spurious_loss_detection(readings, state, base);
    case FF_EVENT_BACKLOG:
    case FF_EVENT_IDLE_RESTART:
    case FF_EVENT_PTO:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_DATAGRAM_SIZE:
    case FF_EVENT_PATH_CHANGE:
        break;
    }
    return FF_OUTCOME_UNCHANGED;
}

static void observe(const struct ff_bbr *state, const struct ff_base_state *base, enum ff_outcome outcome,
                    struct ff_observation *observation)
{
    ff_observation_clear(observation);
    observation->cwnd_bytes = base->cwnd_bytes;
    observation->ssthresh_bytes = state->ssthresh_bytes;
    observation->phase = state->phase;
    observation->outcome = outcome;
    observation->next_release_ns = state->next_send_ns;
    observation->max_bw_delivered_bytes = state->max_bw.delivered_bytes;
    observation->max_bw_interval_ns = state->max_bw.interval_ns;
    observation->full_bw_delivered_bytes = state->full_bw.delivered_bytes;
    observation->full_bw_interval_ns = state->full_bw.interval_ns;
    observation->full_bw_count = state->full_bw_count;
    observation->round_count = state->round_count;
    observation->min_rtt_ns = state->min_rtt_ns;
    observation->bdp_bytes = state->bdp_bytes;
    observation->extra_acked_bytes = state->extra_acked_bytes;
    observation->max_inflight_bytes = state->max_inflight_bytes;
    observation->inflight_longterm_bytes = state->inflight_longterm_bytes;
    observation->inflight_shortterm_bytes = state->inflight_shortterm_bytes;
    observation->pacing_rate_bytes_per_s = state->pacing_rate;
}

void ff_bbr_step(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_base_state *base,
                 const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(state, base, outcome, observation);
    }
}
