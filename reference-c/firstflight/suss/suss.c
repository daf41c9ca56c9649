/* SUSS: the flow of an event. Mirrors reference-py/src/firstflight/suss/suss.py. */
#include "firstflight/suss/suss.h"

#include "firstflight/hystart/hystart.h"
#include "firstflight/limits.h"
#include "firstflight/minmax.h"

#define US_NS UINT64_C(1000)

static const struct ff_hystart_readings *hystart_readings(const struct ff_suss_readings *readings)
{
    bool sixteen = readings->rounds == FF_SUSS_ROUNDS_SIXTEEN; /* [suss.hystart.sixteen] */
    return &ff_hystart_profiles[sixteen ? FF_HYSTART_PROFILE_LINUX_5_16 : FF_HYSTART_PROFILE_LINUX].readings;
}

void ff_suss_begin(const struct ff_suss_readings *readings, struct ff_suss *state, const struct ff_base_state *base)
{
    *state = (struct ff_suss){ /* [suss.begin] */
        .round_no = 1,
        .tail_packet = FF_SUSS_FIRST_PACKETS - 1,
        .release_ns = FF_NONE,
        .cap_bytes = FF_NONE,
        .mode = FF_SUSS_MODE_CLOCKED,
        .part = FF_SUSS_PART_RED,
        .growing = true,
    };
    ff_hystart_begin(hystart_readings(readings), &state->hystart, base);
}

/* Update the minimum RTT and the round of its last decrease; return the sample. */
static uint64_t take_sample(const struct ff_suss_readings *readings, struct ff_suss *state, const struct ff_ack *ack)
{
    uint64_t before_ns = state->hystart.min_ns;
    uint64_t rtt_ns =
        ff_hystart_take_sample(hystart_readings(readings), &state->hystart, ack->latest_rtt_ns, ack->ack_delay_ns);

    if (state->hystart.min_ns != before_ns) {
        state->min_round = state->round_no; /* [suss.minimum.round] */
    }
    return rtt_ns;
}

/* Set the window that ends slow start, if the blue train predicts the end; return whether it was set. */
static bool set_cap(struct ff_suss *state, const struct ff_base_state *base, uint64_t t_ns)
{
    if (state->cap_bytes != FF_NONE || !ff_suss_is_active(state) || state->part == FF_SUSS_PART_RED) {
        return false; /* [suss.cap.blue] */
    }
    uint64_t now_us = t_ns / US_NS;
    if (now_us - state->hystart.train_ns / US_NS > FF_SUSS_TRAIN_GAP_US) {
        return false; /* [suss.cap.broken] */
    }
    state->hystart.train_ns = now_us * US_NS;
    uint64_t allowed_us = (ff_suss_min_us(state) + FF_SUSS_TRAIN_GAP_US / 2) / 2;
    if ((now_us - state->hystart.round_start_ns / US_NS) << state->jumps <= allowed_us) {
        return false; /* [suss.cap.train] */
    }
    /* Below 2^49: 2^30 packets of less than 2^16 bytes, times 7. */
    uint64_t more_bytes = state->blue_packets * base->max_datagram_size_bytes * ((UINT64_C(1) << state->jumps) - 1);
    state->cap_bytes = base->cwnd_bytes + more_bytes; /* [suss.cap] */
    return true;
}

/* End slow start; if more than one round was sped up, set the window to the bytes in flight. */
static void stop(struct ff_suss *state, struct ff_base_state *base)
{
    state->mode = FF_SUSS_MODE_STOPPED; /* [suss.exit.stopped] */
    if (state->jumps > 1) {
        uint64_t least_bytes = ff_newreno_minimum_window_bytes(base); /* [suss.exit.in-flight.least] */
        base->cwnd_bytes = ff_max(state->in_flight_bytes, least_bytes); /* [suss.exit.in-flight] */
    }
}

/* Check window, train and delay of the round; return the outcome, or FF_OUTCOME_UNCHANGED. */
static enum ff_outcome detect(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                              uint64_t t_ns, uint64_t rtt_ns)
{
    enum ff_outcome found = FF_OUTCOME_UNCHANGED;

    if (state->cap_bytes != FF_NONE && base->cwnd_bytes > state->cap_bytes) {
        stop(state, base); /* [suss.exit.cap] */
        found = FF_OUTCOME_EXITED_BY_CAP;
    } else if (set_cap(state, base, t_ns)) {
        found = FF_OUTCOME_SUSS_CAPPED;
    }
    if (state->mode == FF_SUSS_MODE_DISABLED && ff_hystart_watch_train(hystart_readings(readings), &state->hystart, t_ns)) {
        found = FF_OUTCOME_EXITED_BY_TRAIN; /* [suss.exit.train] */
    }
    if (ff_hystart_watch_delay(hystart_readings(readings), &state->hystart, rtt_ns) &&
        (found == FF_OUTCOME_UNCHANGED || found == FF_OUTCOME_SUSS_CAPPED)) {
        if (ff_suss_is_active(state) || state->mode == FF_SUSS_MODE_STOPPED) {
            stop(state, base);
        }
        found = FF_OUTCOME_EXITED_BY_DELAY; /* [suss.exit.delay] */
    }
    return found;
}

/* Record the RTT sample of an ACK, and leave slow start if a check requires it; return the outcome or
 * FF_OUTCOME_UNCHANGED. */
static enum ff_outcome watch(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                             uint64_t t_ns, const struct ff_ack *ack)
{
    if (ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return FF_OUTCOME_UNCHANGED;
    }
    uint64_t rtt_ns = take_sample(readings, state, ack);
    if (state->hystart.found || ff_newreno_phase(base) != FF_PHASE_SLOW_START) {
        return FF_OUTCOME_UNCHANGED; /* [suss.hystart.once] */
    }
    if (!ff_hystart_follow_rounds(hystart_readings(readings), &state->hystart, base, t_ns, ack) || ff_hystart_is_low(base)) {
        return FF_OUTCOME_UNCHANGED;
    }
    enum ff_outcome found = detect(readings, state, base, t_ns, rtt_ns);
    if (found != FF_OUTCOME_UNCHANGED && found != FF_OUTCOME_SUSS_CAPPED) {
        state->hystart.found = true;
        base->ssthresh_bytes = base->cwnd_bytes; /* [suss.exit] */
    }
    return found;
}

static enum ff_outcome on_ack(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                              uint64_t t_ns, const struct ff_ack *ack)
{
    ff_suss_set_in_flight(state, ack->bytes_in_flight);
    enum ff_outcome found = watch(readings, state, base, t_ns, ack);
    if (ff_suss_is_active(state) && state->cap_bytes == FF_NONE) {
        found = ff_suss_follow_rounds(readings, state, base, t_ns, ack); /* [suss.cap.last] */
    }
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack); /* [suss.grow] */
    if (state->mode == FF_SUSS_MODE_PACED) {
        base->cwnd_bytes = ff_max(base->cwnd_bytes, ff_newreno_minimum_window_bytes(base)); /* [suss.window.least] */
    }
    return found == FF_OUTCOME_UNCHANGED ? outcome : found;
}

static enum ff_outcome on_sent(struct ff_suss *state, struct ff_base_state *base, uint64_t t_ns, const struct ff_sent *sent)
{
    (void)ff_newreno_on_sent(base, t_ns, sent);
    state->hystart.next_packet = sent->packets[sent->run_count - 1].last + 1;
    ff_suss_set_in_flight(state, sent->bytes_in_flight);
    if (state->mode != FF_SUSS_MODE_PACED) {
        return FF_OUTCOME_SENT;
    }
    ff_suss_pace_sent(state, t_ns, sent);
    uint64_t size_bytes = base->max_datagram_size_bytes;
    if (base->cwnd_bytes >= state->limit_bytes || state->in_flight_bytes + size_bytes <= base->cwnd_bytes) {
        return FF_OUTCOME_SENT;
    }
    base->cwnd_bytes = ff_min(base->cwnd_bytes + FF_SUSS_OPENED_PACKETS * size_bytes, FF_WINDOW_MAX_BYTES); /* [suss.open] */
    if (state->release_ns == FF_NONE) {
        state->release_ns = state->start_ns; /* [suss.pacing.begin] */
    }
    return FF_OUTCOME_SUSS_OPENED;
}

static enum ff_outcome on_congestion(struct ff_suss *state, struct ff_base_state *base, const struct ff_event *event,
                                     uint64_t sent_t_ns)
{
    if (!ff_newreno_sent_before_recovery(base, sent_t_ns)) {
        if (ff_suss_is_active(state)) {
            base->cwnd_bytes = ff_max(state->in_flight_bytes, ff_newreno_minimum_window_bytes(base)); /* [suss.loss.in-flight] */
        }
        if (state->mode != FF_SUSS_MODE_DISABLED) {
            state->mode = FF_SUSS_MODE_REDUCED; /* [suss.loss] */
        }
    }
    return ff_newreno_on_event(base, event);
}

static enum ff_outcome on_persistent_congestion(const struct ff_suss_readings *readings, struct ff_suss *state,
                                                struct ff_base_state *base, const struct ff_event *event)
{
    if (base->cwnd_bytes < FF_SUSS_TIMEOUT_PACKETS * base->max_datagram_size_bytes) {
        state->mode = FF_SUSS_MODE_DISABLED; /* [suss.timeout] */
    }
    ff_hystart_restart(hystart_readings(readings), &state->hystart, event->t_ns); /* [suss.timeout.hystart] */
    return ff_newreno_on_event(base, event);
}

static enum ff_outcome on_event(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                                const struct ff_event *event)
{
    switch (event->kind) {
    case FF_EVENT_ACK:
        return on_ack(readings, state, base, event->t_ns, &event->ack);
    case FF_EVENT_SENT:
        return on_sent(state, base, event->t_ns, &event->sent);
    case FF_EVENT_LOST: {
        uint64_t latest_sent_t_ns = 0;
        for (size_t i = 0; i < event->lost.run_count; i++) {
            latest_sent_t_ns = ff_max(latest_sent_t_ns, event->lost.packets[i].sent_t_ns);
        }
        ff_suss_set_in_flight(state, event->lost.bytes_in_flight);
        if (event->lost.pmtu_probe) {
            return ff_newreno_on_event(base, event);
        }
        return on_congestion(state, base, event, latest_sent_t_ns);
    }
    case FF_EVENT_CE:
        return on_congestion(state, base, event, event->ce.sent_t_ns);
    case FF_EVENT_PERSISTENT_CONGESTION:
        return on_persistent_congestion(readings, state, base, event);
    case FF_EVENT_BACKLOG:
    case FF_EVENT_IDLE_RESTART:
    case FF_EVENT_PTO:
    case FF_EVENT_SAVED_PATH:
    case FF_EVENT_DATAGRAM_SIZE:
    case FF_EVENT_PATH_CHANGE:
    case FF_EVENT_SPURIOUS_LOSS:
        break;
    }
    return ff_newreno_on_event(base, event);
}

static void observe(const struct ff_suss *state, const struct ff_base_state *base, enum ff_outcome outcome,
                    struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    observation->next_release_ns = ff_suss_next_release_ns(state);
    observation->suss_mode = state->mode;
    observation->suss_round = state->round_no;
    observation->head_packet = state->head_packet;
    observation->tail_packet = state->tail_packet;
    observation->blue_packets = state->blue_packets;
    observation->blue_train_us = state->train_us;
    observation->jumps = state->jumps;
    observation->limit_bytes = state->limit_bytes;
    observation->rate_bytes_per_s = state->rate;
    observation->cap_bytes = state->cap_bytes;
    observation->current_min_rtt_ns = state->hystart.current_min_ns;
    observation->min_rtt_ns = state->hystart.min_ns;
}

void ff_suss_step(const struct ff_suss_readings *readings, struct ff_suss *state, struct ff_base_state *base,
                  const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(state, base, outcome, observation);
    }
}
