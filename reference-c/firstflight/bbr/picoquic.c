/* BBR of picoquic: the steps of its bbr.c. Mirrors reference-py/src/firstflight/bbr/picoquic.py. */
#include "firstflight/bbr/picoquic.h"

#include "firstflight/bbr/control.h"
#include "firstflight/bbr/model.h"
#include "firstflight/bbr/packets.h"
#include "firstflight/bbr/picoquic_path.h"
#include "firstflight/bbr/rate.h"
#include "firstflight/bbr/startup.h"
#include "firstflight/minmax.h"

static bool is_inflight_too_high(const struct ff_bbr_readings *readings, const struct ff_bbr *state,
                                 const struct ff_newreno *base, const struct ff_bbr_sample *sample)
{
    if (sample->prior_delivered_bytes <= state->recovery_delivered_bytes) {
        return false; /* [bbr.picoquic.too-high.after] */
    }
    if (sample->lost_bytes <= FF_BBR_PICOQUIC_LOST_DATAGRAMS * base->max_datagram_size_bytes) {
        return false; /* [bbr.picoquic.too-high.datagrams] */
    }
    return ff_bbr_is_inflight_too_high(readings, base, sample);
}

static void update_congestion_signals(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                      const struct ff_newreno *base, const struct ff_ack *ack,
                                      const struct ff_bbr_sample *sample)
{
    ff_bbr_picoquic_update_round(state, ack);
    if (!(sample->app_limited && ff_bbr_exceeds(state->max_bw, sample->rate))) {
        state->max_bw = ff_bbr_larger(state->max_bw, sample->rate); /* [bbr.picoquic.max-bw] */
    }
    if (state->newly_lost_bytes > 0) {
        state->is_loss_in_round = true; /* [bbr.picoquic.lost.noted] */
    }
    if (state->loss_round_start) {
        ff_bbr_adapt_lower_bounds_from_congestion(readings, state, base);
        state->is_loss_in_round = false;
    }
}

/* Return whether the losses of the round that ends are those of a full pipe. */
static bool check_startup_high_loss(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                    const struct ff_newreno *base, const struct ff_bbr_sample *sample)
{
    struct ff_bbr_picoquic *own = &state->picoquic;

    state->lost_ranges += own->lost_ranges;
    if (is_inflight_too_high(readings, state, base, sample)) {
        own->too_high_in_round = true; /* [bbr.picoquic.loss-exit.any-ack] */
    }
    if (!state->round_start) {
        return false;
    }
    bool full = own->too_high_in_round && state->lost_ranges >= readings->loss_exit_count; /* [bbr.picoquic.loss-exit] */
    own->too_high_in_round = false;
    state->lost_ranges = 0;
    return full;
}

/* End Startup by plateau, by losses or by delay. */
static enum ff_outcome check_startup_done(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                          const struct ff_newreno *base, const struct ff_bbr_sample *sample)
{
    if (state->phase != FF_PHASE_STARTUP) {
        return FF_OUTCOME_UNCHANGED;
    }
    enum ff_outcome counted = ff_bbr_check_full_bw_reached(readings, state, base, sample);
    bool by_plateau = state->full_bw_reached;
    bool by_loss = check_startup_high_loss(readings, state, base, sample);
    if (!(by_plateau || by_loss || state->picoquic.rtt_excess > FF_BBR_PICOQUIC_EXCESS_ACKS)) { /* [bbr.picoquic.delay-exit] */
        return counted;
    }
    state->full_bw_reached = true; /* [bbr.picoquic.exit] */
    state->full_bw_count = 0;
    ff_bbr_enter_drain(readings, state);
    if (by_loss) {
        return FF_OUTCOME_EXITED_BY_LOSS;
    }
    return by_plateau ? FF_OUTCOME_EXITED_BY_PLATEAU : FF_OUTCOME_EXITED_BY_DELAY;
}

static void leave_recovery(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_newreno *base,
                           uint64_t t_ns)
{
    base->cwnd_bytes = ff_max(base->cwnd_bytes, state->prior_cwnd_bytes); /* [bbr.picoquic.recovery.end] */
    if (state->timeout) {
        ff_bbr_reset_full_bw(state); /* [bbr.picoquic.timeout.end] */
        state->full_bw_reached = false;
        ff_bbr_enter_startup(readings, state);
    }
    state->packet_conservation = base->in_recovery = state->timeout = false;
    state->recovery_delivered_bytes = state->delivered_bytes;
    state->probe_rtt_min_stamp_ns = state->min_rtt_stamp_ns = ff_bbr_whole_ns(t_ns); /* [bbr.picoquic.recovery.end.rtt] */
}

/* Leave recovery, or enter it where too much is lost. */
static enum ff_outcome check_recovery(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                      struct ff_newreno *base, uint64_t t_ns, const struct ff_ack *ack,
                                      const struct ff_bbr_sample *sample)
{
    struct ff_bbr_picoquic *own = &state->picoquic;

    if (base->in_recovery) {
        if (!state->timeout && own->highest_packet < own->recovery_end_packet) {
            return FF_OUTCOME_UNCHANGED;
        }
        bool resumes = state->timeout;
        leave_recovery(readings, state, base, t_ns);
        return resumes ? FF_OUTCOME_STARTUP_RESUMED : FF_OUTCOME_UNCHANGED;
    }
    if (is_inflight_too_high(readings, state, base, sample)) {
        state->prior_cwnd_bytes = base->cwnd_bytes; /* [bbr.picoquic.recovery] */
        uint64_t least_bytes = ff_max(base->max_datagram_size_bytes, ack->bytes);
        base->cwnd_bytes = ff_bbr_saturate(state->in_flight_bytes + least_bytes);
        base->in_recovery = state->packet_conservation = true;
        state->recovery_delivered_bytes = state->delivered_bytes;
        own->recovery_end_packet = ack->next_packet;
    }
    return FF_OUTCOME_UNCHANGED;
}

static enum ff_outcome check_drain(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                   const struct ff_newreno *base, uint64_t t_ns, const struct ff_ack *ack)
{
    enum ff_outcome drained = ff_bbr_check_drain_done(readings, state, base, t_ns, false);

    if (drained != FF_OUTCOME_UNCHANGED) {
        state->is_loss_in_round = false; /* [bbr.picoquic.drained] */
        state->bw_latest = ff_bbr_rate_zero;
        state->inflight_latest_bytes = 0;
        state->picoquic.round_end_packet = ack->next_packet;
        state->picoquic.rtt_excess = 0;
    }
    return drained;
}

static void adapt_upper_bounds(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                               const struct ff_newreno *base, const struct ff_bbr_sample *sample)
{
    if (state->full_bw_reached && !is_inflight_too_high(readings, state, base, sample)) {
        uint64_t longterm_bytes = state->inflight_longterm_bytes == FF_BBR_INFINITE ? 0 : state->inflight_longterm_bytes;
        uint64_t volume = ff_max(longterm_bytes, sample->in_flight_bytes);
        state->inflight_longterm_bytes = volume > 0 ? volume : FF_BBR_INFINITE; /* [bbr.picoquic.long-term] */
    }
}

static void set_cwnd(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_newreno *base,
                     const struct ff_ack *ack)
{
    if (state->newly_lost_bytes > 0) {
        uint64_t left_bytes = base->cwnd_bytes - ff_min(base->cwnd_bytes, state->newly_lost_bytes);
        base->cwnd_bytes = ff_max(left_bytes, base->max_datagram_size_bytes); /* [bbr.picoquic.lost] */
    }
    ff_bbr_set_cwnd(readings, state, base, ack);
    if (state->packet_conservation) {
        ff_bbr_bound_cwnd_for_model(readings, state, base); /* [bbr.picoquic.recovery.bounds] */
    }
}

/* Carry out the steps of an ACK; return what they led to. */
static enum ff_outcome update_on_ack(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                     struct ff_newreno *base, uint64_t t_ns, const struct ff_ack *ack,
                                     const struct ff_bbr_sample *sample, uint64_t rtt_ns)
{
    ff_bbr_update_latest_delivery_signals(state, sample); /* [bbr.picoquic.order] */
    update_congestion_signals(readings, state, base, ack, sample);
    ff_bbr_picoquic_update_ack_aggregation(state, base, t_ns, ack);
    enum ff_outcome ended = check_startup_done(readings, state, base, sample);
    enum ff_outcome resumed = check_recovery(readings, state, base, t_ns, ack, sample);
    enum ff_outcome drained = check_drain(readings, state, base, t_ns, ack);
    adapt_upper_bounds(readings, state, base, sample);
    ff_bbr_picoquic_update_min_rtt(state, base, t_ns, rtt_ns);
    ff_bbr_advance_latest_delivery_signals(state, sample);
    ff_bbr_bound_bw_for_model(state);
    ff_bbr_set_pacing_rate(readings, state, base, ack);
    ff_bbr_set_send_quantum(readings, state, base);
    set_cwnd(readings, state, base, ack);
    if (resumed != FF_OUTCOME_UNCHANGED) {
        return resumed;
    }
    return ended != FF_OUTCOME_UNCHANGED ? ended : drained;
}

static enum ff_outcome on_ack(const struct ff_bbr_readings *readings, struct ff_bbr *state, struct ff_newreno *base,
                              uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t before_bytes = base->cwnd_bytes;
    enum ff_outcome outcome = FF_OUTCOME_UNCHANGED;
    uint64_t rtt_ns = ff_bbr_picoquic_path_rtt_ns(state, t_ns, ack);
    struct ff_bbr_sample sample = ff_bbr_picoquic_rate_sample(state, ack, rtt_ns);

    if (rtt_ns > 0) { /* [bbr.picoquic.rtt.none] */
        outcome = update_on_ack(readings, state, base, t_ns, ack, &sample, rtt_ns);
    }
    state->newly_lost_bytes = state->picoquic.lost_ranges = 0;
    state->picoquic.lost_since_ack = false;
    if (outcome == FF_OUTCOME_UNCHANGED && base->cwnd_bytes > before_bytes) {
        return FF_OUTCOME_GROWN;
    }
    return outcome;
}

/* Take the size of each of the packets off the window, as long as it is larger, down to two datagrams. */
static void reduce_in_timeout(struct ff_newreno *base, uint64_t packets, uint64_t size_bytes)
{
    uint64_t least_bytes = 2 * base->max_datagram_size_bytes;
    uint64_t above_bytes = base->cwnd_bytes - ff_min(base->cwnd_bytes, least_bytes);
    uint64_t whole = ff_min(packets, above_bytes / size_bytes);

    base->cwnd_bytes -= whole * size_bytes; /* [bbr.picoquic.timeout.lost] */
    if (packets > whole && base->cwnd_bytes > size_bytes) {
        base->cwnd_bytes = least_bytes;
    }
}

static enum ff_outcome on_lost(struct ff_bbr *state, struct ff_newreno *base, const struct ff_lost *lost)
{
    bool first = !state->picoquic.lost_since_ack;

    state->in_flight_bytes = ff_bbr_saturate(lost->bytes_in_flight);
    ff_bbr_picoquic_note_lost(state, lost);
    for (size_t i = 0; state->timeout && i < lost->run_count; i++) {
        reduce_in_timeout(base, lost->packets[i].last - lost->packets[i].first + 1, lost->packets[i].size_bytes);
    }
    state->picoquic.lost_since_ack = true;
    return first ? FF_OUTCOME_LOSS_NOTED : FF_OUTCOME_ALREADY_NOTED;
}

static enum ff_outcome on_enter_rto(struct ff_bbr *state, struct ff_newreno *base)
{
    if (!base->in_recovery) {
        state->prior_cwnd_bytes = base->cwnd_bytes;
        base->in_recovery = true;
    }
    if (state->timeout) {
        return FF_OUTCOME_UNCHANGED; /* [bbr.picoquic.timeout.once] */
    }
    base->cwnd_bytes = ff_bbr_saturate(state->in_flight_bytes + base->max_datagram_size_bytes); /* [bbr.picoquic.timeout] */
    state->timeout = true;
    state->recovery_delivered_bytes = state->delivered_bytes;
    return FF_OUTCOME_COLLAPSED;
}

enum ff_outcome ff_bbr_picoquic_on_event(const struct ff_bbr_readings *readings, struct ff_bbr *state,
                                         struct ff_newreno *base, const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event->t_ns, &event->ack);
    case FF_EVENT_SENT:
        ff_bbr_picoquic_note_sent(state, event->t_ns, &event->sent);
        ff_bbr_pace_sent(state, event->t_ns, &event->sent);
        state->in_flight_bytes = ff_bbr_saturate(event->sent.bytes_in_flight);
        return FF_OUTCOME_SENT;
    case FF_EVENT_LOST:
        return on_lost(state, base, &event->lost);
    case FF_EVENT_PTO:
        return on_enter_rto(state, base);
    case FF_EVENT_SPURIOUS_LOSS:
        if (state->timeout) {
            leave_recovery(readings, state, base, event->t_ns); /* [bbr.picoquic.undo] */
            return FF_OUTCOME_RESTORED;
        }
        break;
    case FF_EVENT_CE:
    case FF_EVENT_PERSISTENT_CONGESTION:
    case FF_EVENT_BACKLOG:
    case FF_EVENT_IDLE_RESTART:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_PATH_CHANGE:
        break;
    }
    return FF_OUTCOME_UNCHANGED; /* [bbr.picoquic.marks] */
}
