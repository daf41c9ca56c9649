/* BBR of quiche: the flow of an event. Mirrors reference-py/src/firstflight/bbr/quiche.py. */
#include "firstflight/bbr/quiche.h"

#include "firstflight/bbr/control.h"
#include "firstflight/bbr/ieee754.h"
#include "firstflight/bbr/quiche_sampler.h"
#include "firstflight/minmax.h"

/* The initial window is sent 2.885 times in an RTT of 333 ms at first. Its gain is in binary64. */
static const struct ff_bbr_number initial_gain = {UINT64_C(0xb8a3d70a3d70a000), -62};
#define INITIAL_RTT_NS UINT64_C(333000000)
/* startup_pacing_gain 2.773, drain_pacing_gain 1 / 2.885, 1, and cwnd_gain 2, in binary32. */
static const struct ff_bbr_number startup_gain = {UINT64_C(0xb178d50000000000), -62};
static const struct ff_bbr_number drain_gain = {UINT64_C(0xb1783c0000000000), -65};
static const struct ff_bbr_number steady_gain = {UINT64_C(0x8000000000000000), -63};
static const struct ff_bbr_number cwnd_gain = {UINT64_C(0x8000000000000000), -62};
/* full_bw_threshold 1.25, 1 - beta 0.7, and loss_threshold 0.015, in binary32. */
static const struct ff_bbr_number growth = {UINT64_C(0xa000000000000000), -63};
static const struct ff_bbr_number left = {UINT64_C(0xb333330000000000), -64};
static const struct ff_bbr_number loss_share = {UINT64_C(0xf5c28f0000000000), -70};
/* startup_full_bw_rounds, startup_full_loss_count. */
#define FULL_BW_ROUNDS 3
#define FULL_LOSS_EVENTS 8
/* MAX_WINDOW_PACKETS. */
#define WINDOW_MAX_PACKETS 20000

/* Return a multiple of a rate. */
static uint64_t times(uint64_t rate, struct ff_bbr_number gain)
{
    struct ff_bbr_number number = ff_bbr_number_of(rate, FF_BBR_DOUBLE_BITS);
    uint64_t scaled = ff_bbr_to_nearest(ff_bbr_product(number, gain, FF_BBR_DOUBLE_BITS)); /* [bbr.quiche.gain] */

    return ff_min(scaled, FF_BBR_QUICHE_RATE_MAX);
}

/* Return a share of a volume. */
static uint64_t share_bytes(uint64_t volume_bytes, struct ff_bbr_number share)
{
    struct ff_bbr_number number = ff_bbr_number_of(volume_bytes, FF_BBR_SINGLE_BITS);

    return ff_bbr_truncated(ff_bbr_product(number, share, FF_BBR_SINGLE_BITS)); /* [bbr.quiche.share] */
}

/* Return the rate with which everything is computed but where Drain ends. */
static uint64_t rate_of(const struct ff_bbr *state)
{
    return ff_min(state->quiche.max_rate, state->quiche.rate_bound);
}

static uint64_t bdp_bytes(const struct ff_bbr *state, uint64_t rate)
{
    return ff_bbr_quiche_delivers_bytes(rate, state->min_rtt_ns);
}

static void set_pacing_rate(struct ff_bbr *state, uint64_t rate)
{
    state->quiche.pacing_rate = rate;
    state->pacing_rate = ff_max(rate / 8, 1);
}

void ff_bbr_quiche_begin(struct ff_bbr *state, const struct ff_newreno *base)
{
    state->min_rtt_ns = INITIAL_RTT_NS; /* [bbr.quiche.min-rtt.initial] */
    uint64_t rate = times(ff_bbr_quiche_rate_of(base->cwnd_bytes, INITIAL_RTT_NS), initial_gain); /* [bbr.quiche.pacing.initial] */
    set_pacing_rate(state, rate);
}

static void begin_round(struct ff_bbr_quiche *quiche)
{
    quiche->lost_bytes = quiche->loss_events = quiche->delivered_bytes = 0;
}

static void adapt_lower_bounds(struct ff_bbr *state, const struct ff_newreno *base)
{
    struct ff_bbr_quiche *quiche = &state->quiche;

    if (!state->round_start || state->phase == FF_PHASE_STARTUP || quiche->lost_bytes == 0) {
        return;
    }
    uint64_t bound = quiche->rate_bound == FF_BBR_INFINITE ? quiche->max_rate : quiche->rate_bound;
    quiche->rate_bound = ff_max(quiche->latest_rate, times(bound, left)); /* [bbr.quiche.short-term] */
    uint64_t volume_bytes = state->inflight_shortterm_bytes == FF_BBR_INFINITE ? base->cwnd_bytes
                                                                               : state->inflight_shortterm_bytes;
    state->inflight_shortterm_bytes = ff_max(quiche->latest_bytes, share_bytes(volume_bytes, left));
}

/* Take a sample into the largest ones of the round, which begin anew where a round ends. */
static void update_latest(struct ff_bbr *state, const struct ff_newreno *base, const struct ff_bbr_largest *sample)
{
    struct ff_bbr_quiche *quiche = &state->quiche;

    quiche->latest_rate = ff_max(quiche->latest_rate, sample->rate);
    quiche->latest_bytes = ff_max(quiche->latest_bytes, sample->delivered_bytes);
    adapt_lower_bounds(state, base);
    if (state->round_start && sample->is_valid) {
        quiche->latest_rate = sample->rate; /* [bbr.quiche.latest] */
        quiche->latest_bytes = sample->delivered_bytes;
    }
}

/* Take an ACK into what is known of the path; return its sample, and write how much it acknowledges. */
static struct ff_bbr_largest update_model(struct ff_bbr *state, const struct ff_newreno *base, uint64_t t_ns,
                                          const struct ff_ack *ack, uint64_t *acked_bytes)
{
    struct ff_bbr_quiche *quiche = &state->quiche;
    uint64_t packet = ack->packets[ack->run_count - 1].last;

    state->round_start = quiche->round_end_packet == FF_NO_PACKET || packet > quiche->round_end_packet;
    if (state->round_start) {
        quiche->round_end_packet = quiche->last_sent_packet; /* [bbr.quiche.round] */
        state->round_count++;
    }
    uint64_t before_bytes = quiche->acked_bytes;
    struct ff_bbr_largest sample = ff_bbr_quiche_acknowledge(quiche, t_ns, ack);
    *acked_bytes = quiche->acked_bytes - before_bytes;
    bool grown = sample.rate > quiche->max_rate;
    quiche->max_rate = ff_max(quiche->max_rate, sample.rate); /* [bbr.quiche.max-bw] */
    ff_bbr_quiche_update_height(quiche, rate_of(state), state->round_count, *acked_bytes, grown);
    if (sample.is_valid) {
        state->min_rtt_ns = ff_min(state->min_rtt_ns, sample.rtt_ns); /* [bbr.quiche.min-rtt] */
        quiche->delivered_bytes = ff_max(quiche->delivered_bytes, quiche->acked_bytes - sample.acked_bytes);
    }
    update_latest(state, base, &sample);
    return sample;
}

static bool has_high_loss(const struct ff_bbr *state, const struct ff_bbr_largest *sample)
{
    const struct ff_bbr_quiche *quiche = &state->quiche;

    if (quiche->loss_events < FULL_LOSS_EVENTS) {
        return false; /* [bbr.quiche.loss-exit.events] */
    }
    return sample->in_flight_bytes > 0 && quiche->lost_bytes > share_bytes(sample->in_flight_bytes, loss_share);
}

/* See at the end of a round whether the rate still grows, or too much was lost. */
static enum ff_outcome check_startup(struct ff_bbr *state, const struct ff_bbr_largest *sample)
{
    struct ff_bbr_quiche *quiche = &state->quiche;

    if (quiche->max_rate >= times(quiche->full_rate, growth)) {
        quiche->full_rate = quiche->max_rate; /* [bbr.quiche.growth] */
        state->full_bw_count = 0;
        return FF_OUTCOME_BW_GROWN;
    }
    if (!sample->is_valid) {
        return FF_OUTCOME_UNCHANGED; /* [bbr.quiche.growth.none] */
    }
    if (sample->app_limited) {
        return FF_OUTCOME_APP_LIMITED; /* [bbr.quiche.growth.app-limited] */
    }
    state->full_bw_count++;
    if (state->full_bw_count >= FULL_BW_ROUNDS) {
        state->full_bw_reached = true;
        return FF_OUTCOME_EXITED_BY_PLATEAU;
    }
    if (has_high_loss(state, sample)) {
        state->full_bw_reached = true; /* [bbr.quiche.loss-exit] */
        uint64_t held_bytes = bdp_bytes(state, quiche->max_rate);
        state->inflight_longterm_bytes = ff_max(held_bytes, quiche->delivered_bytes); /* [bbr.quiche.loss-exit.long-term] */
        return FF_OUTCOME_EXITED_BY_LOSS;
    }
    return FF_OUTCOME_PLATEAU_COUNTED;
}

/* End Drain where no more is in flight than the product of the largest rate. */
static enum ff_outcome check_drain(struct ff_bbr *state)
{
    if (state->phase != FF_PHASE_DRAIN || state->in_flight_bytes > bdp_bytes(state, state->quiche.max_rate)) {
        return FF_OUTCOME_UNCHANGED;
    }
    state->phase = FF_PHASE_PROBE_BW; /* [bbr.quiche.drain] */
    state->quiche.round_end_packet = state->quiche.last_sent_packet;
    begin_round(&state->quiche);
    return FF_OUTCOME_DRAINED;
}

static struct ff_bbr_number pacing_gain(const struct ff_bbr *state)
{
    if (state->phase == FF_PHASE_STARTUP) {
        return startup_gain;
    }
    return state->phase == FF_PHASE_DRAIN ? drain_gain : steady_gain;
}

static void update_pacing_rate(struct ff_bbr *state, const struct ff_newreno *base, uint64_t acked_bytes)
{
    const struct ff_bbr_quiche *quiche = &state->quiche;

    if (rate_of(state) == 0) {
        return;
    }
    if (quiche->acked_bytes == acked_bytes) {
        set_pacing_rate(state, ff_bbr_quiche_rate_of(base->cwnd_bytes, state->min_rtt_ns)); /* [bbr.quiche.pacing.first] */
        return;
    }
    uint64_t rate = times(rate_of(state), pacing_gain(state));
    if (state->full_bw_reached || rate > quiche->pacing_rate) {
        set_pacing_rate(state, rate); /* [bbr.quiche.pacing] */
    }
}

static void update_window(struct ff_bbr *state, struct ff_newreno *base, uint64_t acked_bytes)
{
    uint64_t initial_bytes = state->initial_window_bytes;

    state->bdp_bytes = bdp_bytes(state, rate_of(state));
    state->extra_acked_bytes = state->quiche.first_height.extra_bytes;
    state->max_inflight_bytes = ff_max(bdp_bytes(state, times(rate_of(state), cwnd_gain)), initial_bytes);
    uint64_t grown_bytes = ff_bbr_saturate(base->cwnd_bytes + acked_bytes);
    if (state->full_bw_reached) {
        uint64_t held_bytes = state->max_inflight_bytes + state->extra_acked_bytes;
        state->max_inflight_bytes = ff_bbr_saturate(held_bytes); /* [bbr.quiche.window] */
        base->cwnd_bytes = ff_min(state->max_inflight_bytes, grown_bytes);
    } else if (base->cwnd_bytes < state->max_inflight_bytes || base->cwnd_bytes < 2 * initial_bytes) {
        base->cwnd_bytes = grown_bytes; /* [bbr.quiche.window.startup] */
    }
    if (state->inflight_shortterm_bytes != FF_BBR_INFINITE) {
        base->cwnd_bytes = ff_min(base->cwnd_bytes, state->inflight_shortterm_bytes); /* [bbr.quiche.window.bound] */
    }
    base->cwnd_bytes = ff_max(base->cwnd_bytes, initial_bytes); /* [bbr.quiche.window.least] */
    uint64_t most_bytes = WINDOW_MAX_PACKETS * base->max_datagram_size_bytes;
    base->cwnd_bytes = ff_min(base->cwnd_bytes, most_bytes); /* [bbr.quiche.window.most] */
}

static void show(struct ff_bbr *state)
{
    if (state->quiche.max_rate > 0) {
        state->max_bw = (struct ff_bbr_rate){state->quiche.max_rate, FF_BBR_BYTE_NS};
    }
    if (state->quiche.full_rate > 0) {
        state->full_bw = (struct ff_bbr_rate){state->quiche.full_rate, FF_BBR_BYTE_NS};
    }
}

static void control(struct ff_bbr *state, struct ff_newreno *base, uint64_t acked_bytes)
{
    update_pacing_rate(state, base, acked_bytes);
    update_window(state, base, acked_bytes);
    if (state->round_start) {
        begin_round(&state->quiche); /* [bbr.quiche.round.anew] */
    }
    show(state);
}

static enum ff_outcome on_ack(struct ff_bbr *state, struct ff_newreno *base, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t before_bytes = base->cwnd_bytes;
    uint64_t acked_bytes;

    state->in_flight_bytes = ff_bbr_saturate(ack->bytes_in_flight);
    struct ff_bbr_largest sample = update_model(state, base, t_ns, ack, &acked_bytes);
    enum ff_outcome outcome = FF_OUTCOME_UNCHANGED;
    if (state->phase == FF_PHASE_STARTUP && state->round_start) {
        outcome = check_startup(state, &sample);
        if (state->full_bw_reached) {
            state->phase = FF_PHASE_DRAIN;
        }
    }
    enum ff_outcome drained = check_drain(state);
    control(state, base, acked_bytes);
    if (outcome != FF_OUTCOME_UNCHANGED) {
        return outcome;
    }
    return drained == FF_OUTCOME_UNCHANGED && base->cwnd_bytes > before_bytes ? FF_OUTCOME_GROWN : drained;
}

static enum ff_outcome on_lost(struct ff_bbr *state, struct ff_newreno *base, const struct ff_lost *lost)
{
    struct ff_bbr_quiche *quiche = &state->quiche;

    state->in_flight_bytes = ff_bbr_saturate(lost->bytes_in_flight);
    state->round_start = quiche->flight_goes_on = false;
    bool first = quiche->loss_events == 0;
    quiche->lost_bytes = ff_bbr_saturate(quiche->lost_bytes + lost->bytes);
    quiche->loss_events++; /* [bbr.quiche.lost] */
    enum ff_outcome drained = check_drain(state);
    control(state, base, 0);
    if (drained != FF_OUTCOME_UNCHANGED) {
        return drained;
    }
    return first ? FF_OUTCOME_LOSS_NOTED : FF_OUTCOME_ALREADY_NOTED;
}

enum ff_outcome ff_bbr_quiche_on_event(struct ff_bbr *state, struct ff_newreno *base, const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(state, base, event->t_ns, &event->ack);
    case FF_EVENT_SENT:
        ff_bbr_pace_sent(state, event->t_ns, &event->sent);
        ff_bbr_quiche_note_sent(&state->quiche, event->t_ns, &event->sent, base->cwnd_bytes);
        return FF_OUTCOME_SENT;
    case FF_EVENT_LOST:
        return on_lost(state, base, &event->lost);
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
    return FF_OUTCOME_UNCHANGED; /* [bbr.quiche.no-answer] */
}
