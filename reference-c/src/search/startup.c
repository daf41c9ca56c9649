/* SEARCH on top of the base controller. Mirrors reference-py/src/firstflight/search_startup.py. */
#include "firstflight/search/startup.h"

/* Whether SEARCH acts now. */
static bool searches(const struct ff_search_readings *readings, const struct ff_newreno *base)
{
    if (readings->slow_starts == FF_SEARCH_SLOW_STARTS_UNBOUNDED && base->ssthresh_bytes != FF_SSTHRESH_INFINITE) {
        return false; /* [search.unbounded-only] */
    }
    return ff_newreno_phase(base) == FF_PHASE_SLOW_START;
}

/* Let the base controller grow the window for an ACK on which SEARCH has decided. */
static void apply(const struct ff_search_readings *readings, struct ff_newreno *base,
                  const struct ff_search_decision *decision, const struct ff_event *event)
{
    if (decision->exits) {
        base->cwnd_bytes = decision->exit.cwnd_bytes;
        if (decision->exit.ssthresh_bytes != FF_NONE) {
            base->ssthresh_bytes = decision->exit.ssthresh_bytes;
        }
        if (decision->exit.growth != FF_SEARCH_EXIT_GROWTH_AVOIDANCE) {
            return; /* [search.exit.growth] */
        }
    } else if (decision->outcome == FF_OUTCOME_EXITED && readings->lower == FF_SEARCH_LOWER_DRAIN) {
        return; /* [search.drain.no-growth] */
    }
    (void)ff_newreno_on_ack(base, event->t_ns, &event->ack);
}

static enum ff_status on_ack(const struct ff_search_readings *readings, struct ff_search *state,
                             struct ff_newreno *base, const struct ff_event *event,
                             struct ff_search_decision *decision)
{
    if (!searches(readings, base)) {
        enum ff_status counted = ff_search_on_ack_elsewhere(readings, state, &event->ack);
        if (counted == FF_OK) {
            decision->outcome = ff_newreno_on_ack(base, event->t_ns, &event->ack);
        }
        return counted;
    }
    const struct ff_search_base view = {base->cwnd_bytes, ff_newreno_minimum_window_bytes(base),
                                        base->max_datagram_size_bytes};
    enum ff_status status = ff_search_on_ack(readings, state, event->t_ns, &event->ack, &view, decision);
    if (status == FF_OK) {
        apply(readings, base, decision, event);
    }
    return status;
}

static enum ff_status on_other(const struct ff_search_readings *readings, struct ff_search *state,
                               struct ff_newreno *base, const struct ff_event *event, enum ff_outcome *outcome)
{
    if (event->kind == FF_EVENT_SENT) {
        enum ff_status counted = ff_search_on_sent(readings, state, event->sent.bytes, searches(readings, base));
        if (counted != FF_OK) {
            return counted;
        }
    } else if (event->kind == FF_EVENT_PERSISTENT_CONGESTION) {
        ff_search_on_persistent_congestion(readings, state);
    }
    *outcome = ff_newreno_on_event(base, event);
    return FF_OK;
}

enum ff_status ff_search_startup_step(const struct ff_search_readings *readings, struct ff_search *state,
                                      struct ff_newreno *base, const struct ff_event *event,
                                      struct ff_observation *observation)
{
    struct ff_search_decision decision;

    decision.evaluated = false;
    enum ff_status status = event->kind == FF_EVENT_ACK ? on_ack(readings, state, base, event, &decision)
                                                        : on_other(readings, state, base, event, &decision.outcome);
    if (status != FF_OK) {
        return status;
    }
    ff_newreno_observe(base, decision.outcome, observation);
    observation->bin = state->curr;
    observation->open_bin_bytes = state->delivered.counter_bytes - state->delivered.opened_bytes;
    observation->target_bytes = ff_search_target_bytes(readings, state);
    if (decision.evaluated) {
        observation->shift_bins = decision.evaluation.shift_bins;
        observation->current_bytes = decision.evaluation.current_bytes;
        observation->previous_bytes = decision.evaluation.previous_bytes;
    }
    return FF_OK;
}
