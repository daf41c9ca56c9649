/* HyStart on top of the base controller. Mirrors reference-py/src/firstflight/hystart/hystart.py. */
#include "firstflight/hystart/hystart.h"

#include "firstflight/minmax.h"

#define US_NS UINT64_C(1000)

void ff_hystart_begin(const struct ff_hystart_readings *readings, struct ff_hystart *state, const struct ff_base_state *base)
{
    (void)base;
    *state = (struct ff_hystart){
        .round_end_packet = readings->boundary_ack == FF_HYSTART_BOUNDARY_ACK_ENDED ? FF_NO_PACKET : 0, /* [hystart.begin] */
        .current_min_ns = FF_NO_RTT_NS,
        .min_ns = FF_NO_RTT_NS,
    };
}

static uint64_t unit_ns(const struct ff_hystart_readings *readings)
{
    return readings->clock == FF_HYSTART_CLOCK_US ? US_NS : 1;
}

static uint64_t rounded(const struct ff_hystart_readings *readings, uint64_t time_ns)
{
    return time_ns - time_ns % unit_ns(readings); /* [hystart.clock] */
}

static void begin_round(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns,
                        uint64_t next_packet)
{
    state->round_end_packet = next_packet;
    state->rtt_samples = 0;
    state->current_min_ns = FF_NO_RTT_NS;
    state->round_start_ns = rounded(readings, t_ns);
    state->train_ns = state->round_start_ns;
}

void ff_hystart_restart(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns)
{
    state->found = false;
    begin_round(readings, state, t_ns, state->next_packet); /* [hystart.restart] */
    if (readings->boundary_ack == FF_HYSTART_BOUNDARY_ACK_ENDED) {
        state->round_end_packet = FF_NO_PACKET;
    }
    if (readings->restart == FF_HYSTART_RESTART_EVERYTHING) {
        state->min_ns = FF_NO_RTT_NS; /* [hystart.restart.minimum] */
    }
}

uint64_t ff_hystart_take_sample(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                                uint64_t latest_rtt_ns, uint64_t ack_delay_ns)
{
    uint64_t rtt_ns = ff_max(rounded(readings, latest_rtt_ns), unit_ns(readings)); /* [hystart.sample] */

    state->min_ns = ff_min(state->min_ns, rtt_ns); /* [hystart.sample.minimum] */
    if (readings->rtt == FF_HYSTART_RTT_LESS_ACK_DELAY && rtt_ns - state->min_ns >= ack_delay_ns) {
        rtt_ns -= ack_delay_ns; /* [hystart.sample.ack-delay] */
    }
    return rtt_ns;
}

bool ff_hystart_is_low(const struct ff_base_state *base)
{
    return base->cwnd_bytes < FF_HYSTART_LOW_WINDOW_DATAGRAMS * base->max_datagram_size_bytes;
}

bool ff_hystart_follow_rounds(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                              const struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    if (ff_hystart_is_low(base) && readings->low_window == FF_HYSTART_LOW_WINDOW_EVERYTHING) {
        return false; /* [hystart.low-window.everything] */
    }
    if (state->round_end_packet == FF_NO_PACKET ||
        (readings->boundary_ack == FF_HYSTART_BOUNDARY_ACK_NEXT &&
         ack->packets[ack->run_count - 1].last >= state->round_end_packet)) {
        begin_round(readings, state, t_ns, ack->next_packet); /* [hystart.round] */
    }
    return true;
}

bool ff_hystart_watch_train(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t t_ns)
{
    if (readings->ack_train == FF_HYSTART_ACK_TRAIN_OFF) {
        return false;
    }
    uint64_t now_ns = rounded(readings, t_ns);
    if (now_ns - state->train_ns > FF_HYSTART_TRAIN_GAP_NS) {
        return false; /* [hystart.train.broken] */
    }
    uint64_t threshold_ns = state->min_ns + FF_HYSTART_TRAIN_MARGIN_NS; /* [hystart.train.margin] */
    if (readings->train_threshold == FF_HYSTART_TRAIN_THRESHOLD_HALF) {
        threshold_ns = rounded(readings, threshold_ns / 2); /* [hystart.train.half] */
    }
    state->train_ns = now_ns;
    return now_ns - state->round_start_ns > threshold_ns; /* [hystart.train] */
}

bool ff_hystart_watch_delay(const struct ff_hystart_readings *readings, struct ff_hystart *state, uint64_t rtt_ns)
{
    bool eighth = readings->decision == FF_HYSTART_DECISION_EIGHTH;

    if (eighth && state->rtt_samples == FF_HYSTART_RTT_SAMPLES) {
        return false; /* [hystart.delay.eighth] */
    }
    state->current_min_ns = ff_min(state->current_min_ns, rtt_ns);
    if (state->rtt_samples < FF_HYSTART_RTT_SAMPLES) {
        state->rtt_samples++; /* [hystart.delay.samples] */
        if (!eighth || state->rtt_samples < FF_HYSTART_RTT_SAMPLES) {
            return false;
        }
    }
    uint64_t share_us = state->min_ns / US_NS / FF_HYSTART_DELAY_DIVISOR; /* [hystart.delay.threshold] */
    share_us = ff_min(ff_max(share_us, FF_HYSTART_DELAY_MIN_US), FF_HYSTART_DELAY_MAX_US);
    return state->current_min_ns > state->min_ns + share_us * US_NS; /* [hystart.delay] */
}

/* Update the round; return the outcome that ends slow start, or FF_OUTCOME_UNCHANGED. */
static enum ff_outcome detect(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                              const struct ff_base_state *base, uint64_t t_ns, uint64_t rtt_ns)
{
    bool low = ff_hystart_is_low(base);

    if (low && readings->low_window == FF_HYSTART_LOW_WINDOW_DETECTION) {
        return FF_OUTCOME_UNCHANGED; /* [hystart.low-window] */
    }
    if (state->found) {
        return FF_OUTCOME_EXITED_BY_DELAY; /* [hystart.low-window.found] */
    }
    bool by_train = ff_hystart_watch_train(readings, state, t_ns);
    bool by_delay = ff_hystart_watch_delay(readings, state, rtt_ns);
    if (by_train) {
        return FF_OUTCOME_EXITED_BY_TRAIN;
    }
    if (by_delay && low) {
        state->found = true; /* [hystart.low-window.exit] */
        return FF_OUTCOME_UNCHANGED;
    }
    return by_delay ? FF_OUTCOME_EXITED_BY_DELAY : FF_OUTCOME_UNCHANGED;
}

/* End the round with an ACK that belongs to it; the next ACK begins another round. */
static void end_round(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                      const struct ff_base_state *base, const struct ff_ack *ack)
{
    if (readings->boundary_ack == FF_HYSTART_BOUNDARY_ACK_NEXT || ff_newreno_phase(base) != FF_PHASE_SLOW_START) {
        return;
    }
    if (state->round_end_packet != FF_NO_PACKET && ack->packets[ack->run_count - 1].last >= state->round_end_packet) {
        state->round_end_packet = FF_NO_PACKET; /* [hystart.round.ended] */
    }
}

static enum ff_outcome on_ack(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                              struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    enum ff_outcome found = FF_OUTCOME_UNCHANGED;

    if (ack->latest_rtt_ns != FF_NO_RTT_NS) {
        uint64_t rtt_ns = ff_hystart_take_sample(readings, state, ack->latest_rtt_ns, ack->ack_delay_ns);
        if (ff_newreno_phase(base) == FF_PHASE_SLOW_START && ff_hystart_follow_rounds(readings, state, base, t_ns, ack)) {
            found = detect(readings, state, base, t_ns, rtt_ns);
        }
    }
    if (found != FF_OUTCOME_UNCHANGED) {
        base->ssthresh_bytes = base->cwnd_bytes; /* [hystart.exit] */
    }
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack); /* [hystart.grow] */
    end_round(readings, state, base, ack);
    return found == FF_OUTCOME_UNCHANGED ? outcome : found;
}

static enum ff_outcome on_event(const struct ff_hystart_readings *readings, struct ff_hystart *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_ACK) {
        return on_ack(readings, state, base, event->t_ns, &event->ack);
    }
    if (event->kind == FF_EVENT_SENT) {
        state->next_packet = event->sent.packets[event->sent.run_count - 1].last + 1;
    }
    if (event->kind == FF_EVENT_PERSISTENT_CONGESTION) {
        ff_hystart_restart(readings, state, event->t_ns);
    }
    return ff_newreno_on_event(base, event); /* [hystart.loss] */
}

static void observe(const struct ff_hystart *state, const struct ff_base_state *base, enum ff_outcome outcome,
                    struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    observation->round_end_packet = state->round_end_packet;
    observation->rtt_samples = state->rtt_samples;
    observation->current_min_rtt_ns = state->current_min_ns;
    observation->min_rtt_ns = state->min_ns;
    observation->round_start_ns = state->round_start_ns;
    observation->train_ns = state->train_ns;
}

void ff_hystart_step(const struct ff_hystart_readings *readings, struct ff_hystart *state, struct ff_base_state *base,
                     const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(state, base, outcome, observation);
    }
}
