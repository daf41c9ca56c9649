/* HyStart++ on top of the base controller. Mirrors reference-py/src/firstflight/hystartpp/hystartpp.py. */
#include "firstflight/hystartpp/hystartpp.h"

#include "firstflight/minmax.h"

void ff_hystartpp_begin(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                        const struct ff_base_state *base)
{
    (void)readings;
    (void)base;
    *state = (struct ff_hystartpp){
        .current_min_ns = FF_NO_RTT_NS,
        .last_min_ns = FF_NO_RTT_NS,
        .baseline_ns = FF_NO_RTT_NS,
    };
    state->round_end_packet = 0; /* [hystartpp.begin] */
}

static bool runs(const struct ff_hystartpp_readings *readings, const struct ff_base_state *base)
{
    if (ff_newreno_phase(base) != FF_PHASE_SLOW_START) {
        return false;
    }
    if (readings->scope == FF_HYSTARTPP_SCOPE_EVERY) {
        return true; /* [hystartpp.scope.every] */
    }
    return base->ssthresh_bytes == FF_SSTHRESH_INFINITE; /* [hystartpp.scope.initial] */
}

/* Leave CSS. */
static void leave(struct ff_hystartpp *state)
{
    state->conservative = false;
    state->baseline_ns = FF_NO_RTT_NS;
    state->css_rounds = 0;
}

/* Reset the state for another slow start. */
static void begin_anew(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                       const struct ff_base_state *base)
{
    ff_hystartpp_begin(readings, state, base); /* [hystartpp.scope.anew] */
}

/* Return whether an ACK acknowledges windowEnd. */
static bool ends_round(const struct ff_hystartpp *state, const struct ff_ack *ack)
{
    return ack->packets[ack->run_count - 1].last >= state->round_end_packet; /* [hystartpp.round.acked] */
}

/* Begin a round with the ACK of windowEnd, before other processing of this ACK. */
static void end_round(struct ff_hystartpp *state, uint64_t next_packet)
{
    if (state->conservative) {
        state->css_rounds++; /* [hystartpp.css.rounds] */
    }
    state->round_end_packet = next_packet; /* [hystartpp.round.end] [hystartpp.round.ack] */
    state->last_min_ns = state->current_min_ns;
    state->current_min_ns = FF_NO_RTT_NS;
    state->rtt_samples = 0;
}

/* Grow the window by the base controller, and limit the growth by L and CSS. */
static enum ff_outcome grow(const struct ff_hystartpp_readings *readings, const struct ff_hystartpp *state,
                            struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t before_bytes = base->cwnd_bytes;
    uint64_t ssthresh_bytes = base->ssthresh_bytes;
    base->ssthresh_bytes = FF_SSTHRESH_INFINITE;
    enum ff_outcome outcome = ff_newreno_on_ack(base, t_ns, ack); /* [hystartpp.grow] [hystartpp.grow.counted] */
    uint64_t grown_bytes = base->cwnd_bytes - before_bytes;
    uint64_t limit_bytes = readings->limit_datagrams * base->max_datagram_size_bytes;

    if (0 < limit_bytes && limit_bytes < grown_bytes) {
        grown_bytes = limit_bytes; /* [hystartpp.limit] */
    }
    if (state->conservative) {
        grown_bytes /= FF_HYSTARTPP_GROWTH_DIVISOR; /* [hystartpp.css.grow] [hystartpp.css.rounding] [hystartpp.css.divisor] */
        outcome = outcome == FF_OUTCOME_GROWN ? FF_OUTCOME_CONSERVATIVE_GROWN : outcome;
    }
    base->cwnd_bytes = before_bytes + grown_bytes;
    base->ssthresh_bytes = ssthresh_bytes;
    return outcome;
}

static void sample(struct ff_hystartpp *state, uint64_t rtt_ns)
{
    state->current_min_ns = ff_min(state->current_min_ns, rtt_ns);
    state->rtt_samples = ff_min(state->rtt_samples + 1, FF_HYSTARTPP_RTT_SAMPLES); /* [hystartpp.sample] [hystartpp.sample.kind] */
}

/* Return whether CSS begins: the minimum RTT of this round exceeds the minimum of the last by the threshold. */
static bool delay_increased(const struct ff_hystartpp *state)
{
    if (state->conservative) {
        return false;
    }
    if (state->rtt_samples < FF_HYSTARTPP_RTT_SAMPLES) {
        return false; /* [hystartpp.delay.samples] */
    }
    if (state->last_min_ns == FF_NO_RTT_NS) {
        return false; /* [hystartpp.delay.first-round] */
    }
    /* Compared in eighths of a nanosecond, without rounding. RTTs are below 2^59: the sums are below 2^63. */
    uint64_t highest = FF_HYSTARTPP_RTT_DIVISOR * FF_HYSTARTPP_THRESHOLD_MAX_NS;
    uint64_t share = ff_min(state->last_min_ns, highest); /* [hystartpp.delay.maximum] */
    uint64_t lowest = FF_HYSTARTPP_RTT_DIVISOR * FF_HYSTARTPP_THRESHOLD_MIN_NS;
    uint64_t threshold = ff_max(share, lowest); /* [hystartpp.delay.minimum] */
    uint64_t bound = FF_HYSTARTPP_RTT_DIVISOR * state->last_min_ns + threshold; /* [hystartpp.delay.divisor] */
    return FF_HYSTARTPP_RTT_DIVISOR * state->current_min_ns >= bound; /* [hystartpp.delay] [hystartpp.delay.rounding] */
}

/* Return whether the RTT fell below the RTT that began CSS. */
static bool spurious(const struct ff_hystartpp_readings *readings, const struct ff_hystartpp *state)
{
    if (!state->conservative) {
        return false;
    }
    if (readings->css_samples == FF_HYSTARTPP_CSS_SAMPLES_EIGHT && state->rtt_samples < FF_HYSTARTPP_RTT_SAMPLES) {
        return false; /* [hystartpp.css.samples] */
    }
    return state->current_min_ns < state->baseline_ns;
}

/* Leave slow start after the last round of CSS; until then return the given outcome. */
static enum ff_outcome exit_after_rounds(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                                         struct ff_base_state *base, enum ff_outcome outcome)
{
    if (state->conservative && state->css_rounds >= readings->css_rounds) {
        base->ssthresh_bytes = base->cwnd_bytes; /* [hystartpp.css.exit] [hystartpp.css.last-ack] */
        leave(state);
        return FF_OUTCOME_EXITED;
    }
    return outcome;
}

static enum ff_outcome on_ack(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                              struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack)
{
    if (ends_round(state, ack)) {
        end_round(state, ack->next_packet);
    }
    enum ff_outcome outcome = grow(readings, state, base, t_ns, ack);
    if (ff_newreno_phase(base) != FF_PHASE_SLOW_START) {
        leave(state); /* [hystartpp.scope.threshold] */
        return outcome;
    }
    if (ack->latest_rtt_ns != FF_NO_RTT_NS) {
        sample(state, ack->latest_rtt_ns);
        if (delay_increased(state)) {
            state->conservative = true; /* [hystartpp.css.begin] */
            state->baseline_ns = state->current_min_ns;
            return FF_OUTCOME_CONSERVATIVE_BEGUN;
        }
        if (spurious(readings, state)) {
            leave(state); /* [hystartpp.css.resume] [hystartpp.css.anew] */
            return FF_OUTCOME_SLOW_START_RESUMED;
        }
    }
    return exit_after_rounds(readings, state, base, outcome);
}

static enum ff_outcome on_event(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                                struct ff_base_state *base, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_ACK && runs(readings, base)) {
        return on_ack(readings, state, base, event->t_ns, &event->ack);
    }
    enum ff_outcome outcome = ff_newreno_on_event(base, event);
    if (outcome == FF_OUTCOME_REDUCED) {
        leave(state); /* [hystartpp.loss] [hystartpp.loss.window] */
    }
    if (event->kind == FF_EVENT_PERSISTENT_CONGESTION && readings->scope == FF_HYSTARTPP_SCOPE_EVERY) {
        begin_anew(readings, state, base);
    }
    return outcome;
}

static void observe(const struct ff_hystartpp *state, const struct ff_base_state *base, enum ff_outcome outcome,
                    struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    if (observation->phase == FF_PHASE_SLOW_START && state->conservative) {
        observation->phase = FF_PHASE_CONSERVATIVE_SLOW_START;
    }
    observation->round_end_packet = state->round_end_packet;
    observation->rtt_samples = state->rtt_samples;
    observation->current_min_rtt_ns = state->current_min_ns;
    observation->last_min_rtt_ns = state->last_min_ns;
    observation->baseline_rtt_ns = state->baseline_ns;
    observation->css_rounds = state->css_rounds;
}

void ff_hystartpp_step(const struct ff_hystartpp_readings *readings, struct ff_hystartpp *state,
                       struct ff_base_state *base, const struct ff_event *event, struct ff_observation *observation)
{
    enum ff_outcome outcome = on_event(readings, state, base, event);

    if (observation != NULL) {
        observe(state, base, outcome, observation);
    }
}
