/* SEARCH on top of the base controller. Mirrors reference-py/src/firstflight/search/startup.py. */
#include "firstflight/search/startup.h"

void ff_search_begin(const struct ff_search_readings *readings, struct ff_search *state)
{
    state->sample = (struct ff_search_sample){FF_NO_RTT_NS, FF_NO_RTT_NS, FF_NO_RTT_NS, 0};
    ff_search_zero_counters(readings, state);
    ff_search_forget(readings, state);
}

/* Return whether SEARCH is active now. */
static bool searches(const struct ff_search_readings *readings, const struct ff_base_state *base)
{
    if (readings->slow_starts == FF_SEARCH_SLOW_STARTS_UNBOUNDED && base->ssthresh_bytes != FF_SSTHRESH_INFINITE) {
        return false; /* [search.unbounded-only] */
    }
    return ff_newreno_phase(base) == FF_PHASE_SLOW_START;
}

/* Return whether the base controller may grow the window on an ACK, given the outcome of SEARCH. */
static bool grows(const struct ff_search_readings *readings, const struct ff_search *state, enum ff_outcome outcome)
{
    bool draining = ff_search_target_bytes(readings, state) != FF_NONE;
    bool ends = outcome == FF_OUTCOME_EXITED || outcome == FF_OUTCOME_DRAINED;
    bool growing = true;

    if (draining && outcome == FF_OUTCOME_EXITED) {
        growing = false; /* [search.drain.no-growth] */
    } else if (draining || (ends && readings->exit_growth != FF_SEARCH_EXIT_GROWTH_AVOIDANCE)) {
        growing = false; /* [search.exit.growth] */
    }
    return growing;
}

/* Process an ACK, first in SEARCH while it is active, then in the base controller. */
static enum ff_status on_ack(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                             const struct ff_event *event, struct ff_search_evaluation *evaluation, enum ff_outcome *outcome)
{
    const struct ff_ack *ack = &event->ack;

    if (!ff_search_has_room(&state->delivered, ack->bytes)) {
        return FF_ERR_DOMAIN; /* [search.domain] */
    }
    if (!searches(readings, base)) {
        ff_search_on_ack_elsewhere(readings, state, ack);
        *outcome = ff_newreno_on_ack(base, event->t_ns, ack);
        return FF_OK;
    }
    *outcome = ff_search_on_ack(readings, state, base, event->t_ns, ack, evaluation);
    if (grows(readings, state, *outcome)) {
        (void)ff_newreno_on_ack(base, event->t_ns, ack);
    }
    return FF_OK;
}

/* Process an event other than an ACK, first in SEARCH, then in the base controller. */
static enum ff_status on_other(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                               const struct ff_event *event, enum ff_outcome *outcome)
{
    if (event->kind == FF_EVENT_SENT) {
        enum ff_status counted = ff_search_on_sent(readings, state, event->sent.bytes, searches(readings, base));
        if (counted != FF_OK) {
            return counted;
        }
    } else if (event->kind == FF_EVENT_PERSISTENT_CONGESTION) {
        ff_search_on_persistent_congestion(readings, state);
    } else if (event->kind == FF_EVENT_IDLE_RESTART) {
        ff_search_on_idle_restart(readings, state);
    }
    *outcome = ff_newreno_on_event(base, event);
    return FF_OK;
}

static void observe(const struct ff_search_readings *readings, const struct ff_search *state, const struct ff_base_state *base,
                    enum ff_outcome outcome, const struct ff_search_evaluation *evaluation,
                    struct ff_observation *observation)
{
    ff_newreno_observe(base, outcome, observation);
    observation->bin = state->curr;
    observation->open_bin_bytes = state->delivered.counter_bytes - state->delivered.opened_bytes;
    observation->target_bytes = ff_search_target_bytes(readings, state);
    if (evaluation->shift_bins != FF_NONE) {
        observation->shift_bins = evaluation->shift_bins;
        observation->current_bytes = evaluation->current_bytes;
        observation->previous_bytes = evaluation->previous_bytes;
    }
}

enum ff_status ff_search_startup_step(const struct ff_search_readings *readings, struct ff_search *state,
                                      struct ff_base_state *base, const struct ff_event *event,
                                      struct ff_observation *observation)
{
    struct ff_search_evaluation evaluation;
    enum ff_outcome outcome;

    evaluation.shift_bins = FF_NONE;
    enum ff_status status = event->kind == FF_EVENT_ACK ? on_ack(readings, state, base, event, &evaluation, &outcome)
                                                        : on_other(readings, state, base, event, &outcome);
    if (status == FF_OK && observation != NULL) {
        observe(readings, state, base, outcome, &evaluation, observation);
    }
    return status;
}
