/*
 * SEARCH: the flow of an event. Mirrors reference-py/src/firstflight/search.py.
 *
 * Nearly every ACK ends no bin. What such an ACK needs stands in ff_search_on_ack, and all else is kept out of its way.
 */
#include "firstflight/search/search.h"

#include "firstflight/rare.h"

/* What an ACK is processed with. */
struct context {
    const struct ff_search_readings *readings;
    const struct ff_ack *ack;
    const struct ff_search_base *base;
    uint64_t t_ns;
};

/* Forget the bins but not the last sample; the counters go on or begin anew. */
static void clear(const struct ff_search_readings *readings, struct ff_search *state)
{
    const struct ff_search_sample sample = state->sample;

    if (readings->restart_counters == FF_SEARCH_RESTART_COUNTERS_ZEROED) {
        ff_search_init(readings, state);
    } else {
        ff_search_forget(readings, state); /* [search.restart.counters] */
    }
    state->sample = sample;
}

enum ff_status ff_search_on_sent(const struct ff_search_readings *readings, struct ff_search *state, uint64_t sent_bytes,
                                 bool slow_start)
{
    if (readings->compared != FF_SEARCH_COMPARED_SENT) {
        return FF_OK;
    }
    if (!slow_start && readings->counted_in == FF_SEARCH_COUNTED_IN_SLOW_START) {
        return FF_OK;
    }
    if (!ff_search_credit(&ff_search_more(readings, state)->sent, sent_bytes)) { /* [search.bins.sent] */
        return FF_ERR_DOMAIN;
    }
    return FF_OK;
}

enum ff_status ff_search_on_ack_elsewhere(const struct ff_search_readings *readings, struct ff_search *state,
                                          const struct ff_ack *ack)
{
    if (readings->counted_in == FF_SEARCH_COUNTED_IN_SLOW_START) {
        ff_search_keep_sample(&state->sample, ack); /* [search.rtt.reuse] */
        return FF_OK; /* [search.slow-start-only] */
    }
    if (!ff_search_credit(&state->delivered, ack->bytes)) { /* [search.bins.every-phase] */
        return FF_ERR_DOMAIN;
    }
    ff_search_keep_sample(&state->sample, ack);
    return FF_OK;
}

void ff_search_on_persistent_congestion(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->persistent == FF_SEARCH_PERSISTENT_REINITIALISE) {
        clear(readings, state); /* [search.restart] */
    }
}

static enum ff_status conclude(struct ff_search_decision *decision, enum ff_outcome outcome)
{
    decision->outcome = outcome;
    decision->evaluated = false;
    decision->exits = false;
    return FF_OK;
}

/* The bin duration that the last sample gives; there is one. */
static uint64_t duration_ticks(const struct ff_search_readings *readings, const struct ff_search *state)
{
    return ff_search_bin_duration_ticks(readings, ff_search_latest_units(readings, &state->sample));
}

/* Why an ACK starts nothing and ends no bin although its bytes may count; FF_OUTCOME_STARTED if it does not. */
static enum ff_outcome uncounted(const struct context *at, const struct ff_search *state)
{
    if (at->readings->app_limited == FF_SEARCH_APP_LIMITED_COUNT_BYTES && at->ack->app_limited) {
        return FF_OUTCOME_APP_LIMITED; /* [search.app-limited.bytes] */
    }
    if (state->sample.latest_ns == FF_NO_RTT_NS) {
        return FF_OUTCOME_NO_RTT_SAMPLE; /* [search.init.wait-for-sample] */
    }
    if (at->readings->missing_rtt == FF_SEARCH_MISSING_RTT_SKIP && at->ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return FF_OUTCOME_NO_RTT_SAMPLE; /* [search.rtt.skip] */
    }
    return FF_OUTCOME_STARTED;
}

/* Count an ACK in the open bin, and conclude; while none is open its bytes belong to no bin. */
static enum ff_status count_and_conclude(struct ff_search *state, uint64_t bytes, struct ff_search_decision *decision,
                                         enum ff_outcome outcome)
{
    bool counted = state->gate_ns > 0 ? ff_search_credit(&state->delivered, bytes)
                                      : ff_search_count(&state->delivered, bytes); /* [search.bins.none-open] */

    return counted ? conclude(decision, outcome) : FF_ERR_DOMAIN;
}

/* Open bin 0 with this ACK. The last sample gives the duration, unless there is one. */
static enum ff_status start(const struct context *at, struct ff_search *state, enum ff_outcome outcome,
                            struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = at->readings;
    uint64_t bytes = at->ack->bytes;
    uint64_t bin_ticks = state->bin_ticks > 0 ? state->bin_ticks : duration_ticks(readings, state);

    if (!ff_search_count(&state->delivered, bytes)) {
        return FF_ERR_DOMAIN;
    }
    ff_search_begin(readings, state, bin_ticks, ff_search_units(readings, at->t_ns));
    if (readings->first_ack == FF_SEARCH_FIRST_ACK_BEFORE_BIN_0) {
        bytes = 0; /* [search.init.before-bin-0] */
    }
    state->delivered.opened_bytes -= bytes;
    return conclude(decision, outcome);
}

/* Start again because too many bins end with one ACK. */
static enum ff_status on_missed_bins(const struct context *at, struct ff_search *state, uint64_t passed,
                                     struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = at->readings;
    uint64_t old_ticks = state->bin_ticks;

    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK) {
        clear(readings, state);
        return conclude(decision, FF_OUTCOME_RESTARTED); /* [search.missed-bins.next-ack] */
    }
    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK_THIS_RTT) {
        clear(readings, state);
        state->bin_ticks = duration_ticks(readings, state); /* [search.missed-bins.this-rtt] */
        return conclude(decision, FF_OUTCOME_RESTARTED);
    }
    bool kept = readings->restart_counters == FF_SEARCH_RESTART_COUNTERS_KEPT;
    if (kept && state->delivered.counter_bytes + at->ack->bytes > FF_SEARCH_COUNTER_MAX_BYTES) {
        return FF_ERR_DOMAIN; /* before anything is forgotten */
    }
    clear(readings, state);
    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NOW_OLD_DURATION &&
        passed <= FF_SEARCH_WINDOW_BINS) {
        state->bin_ticks = old_ticks; /* [search.missed-bins.old-duration] */
    }
    return start(at, state, FF_OUTCOME_RESTARTED, decision);
}

/* Evaluate the windows, and leave slow start if they say so. */
static void decide(const struct context *at, struct ff_search *state, struct ff_search_decision *decision)
{
    decision->outcome = ff_search_evaluate(at->readings, state, &decision->evaluation);
    decision->evaluated = true;
    decision->exits = false;
    if (decision->outcome != FF_OUTCOME_EXITED) {
        return;
    }
    if (at->readings->lower == FF_SEARCH_LOWER_DRAIN) {
        ff_search_begin_drain(at->readings, state, at->base);
        return;
    }
    decision->exits = true;
    decision->exit = ff_search_leave(at->readings, state, at->ack, at->base);
}

/* Process an ACK that ends at least one bin. */
static enum ff_status on_boundary(const struct context *at, struct ff_search *state, struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = at->readings;
    uint64_t bytes = at->ack->bytes;
    uint64_t passed = ff_search_passed(readings, state, at->t_ns);

    if (readings->app_limited == FF_SEARCH_APP_LIMITED_RESTART && at->ack->app_limited) {
        return start(at, state, FF_OUTCOME_RESTARTED, decision); /* [search.app-limited.restart] */
    }
    if (readings->missed_bins_maximum > 0 && passed > readings->missed_bins_maximum) {
        return on_missed_bins(at, state, passed, decision); /* [search.missed-bins] */
    }
    uint64_t steps = ff_search_ended(readings, state, at->t_ns);
    if (readings->crossing_credit != FF_SEARCH_CROSSING_CREDIT_NEW_BIN) {
        if (!ff_search_credit(&state->delivered, bytes)) { /* [search.bins.credit-before] */
            return FF_ERR_DOMAIN;
        }
        ff_search_advance(readings, state, steps);
        decide(at, state, decision);
        return FF_OK;
    }
    if (state->delivered.counter_bytes + bytes > FF_SEARCH_COUNTER_MAX_BYTES) {
        return FF_ERR_DOMAIN; /* [search.domain] */
    }
    ff_search_advance(readings, state, steps);
    if (readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK) {
        (void)ff_search_credit(&state->delivered, bytes); /* the bin is new and the counter was tested, here and below */
        decide(at, state, decision);
        return FF_OK;
    }
    decide(at, state, decision);
    (void)ff_search_credit(&state->delivered, bytes);
    return FF_OK;
}

/* An ACK that is passed over: its sample may set the bin duration all the same. */
static enum ff_status pass_over(const struct ff_search_readings *readings, struct ff_search *state,
                                struct ff_search_decision *decision)
{
    bool first = state->bin_ticks == 0 && state->sample.latest_ns != FF_NO_RTT_NS;

    if (readings->initial_rtt == FF_SEARCH_INITIAL_RTT_FIRST_SAMPLE && first) {
        state->bin_ticks = duration_ticks(readings, state); /* [search.init.first-sample] */
    }
    return conclude(decision, FF_OUTCOME_APP_LIMITED); /* [search.app-limited] */
}

/* Any ACK, unless the flight is being drained. Its sample is kept already. */
static enum ff_status on_ack_searching(const struct context *at, struct ff_search *state, struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = at->readings;

    if (readings->app_limited == FF_SEARCH_APP_LIMITED_SKIP && at->ack->app_limited) {
        return pass_over(readings, state, decision);
    }
    enum ff_outcome idle = uncounted(at, state);
    if (idle != FF_OUTCOME_STARTED) {
        return count_and_conclude(state, at->ack->bytes, decision, idle);
    }
    if (state->gate_ns == 0) {
        return start(at, state, FF_OUTCOME_STARTED, decision);
    }
    if (at->t_ns >= state->gate_ns) {
        return on_boundary(at, state, decision);
    }
    if (!ff_search_credit(&state->delivered, at->ack->bytes)) {
        return FF_ERR_DOMAIN;
    }
    if (readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK) {
        decide(at, state, decision); /* [search.evaluate.every-ack] */
        return FF_OK;
    }
    return conclude(decision, FF_OUTCOME_SAME_BIN);
}

/* Any ACK while the flight is drained. */
static enum ff_status on_ack_draining(const struct context *at, struct ff_search *state, struct ff_search_decision *decision)
{
    if (!ff_search_count(&state->delivered, at->ack->bytes)) {
        return FF_ERR_DOMAIN;
    }
    ff_search_drain(at->readings, state, at->ack, at->base, decision);
    return FF_OK;
}

/* Any ACK. What ff_search_on_ack could not credit is refused here; then the sample is what it was. */
FF_RARE static enum ff_status on_any_ack(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                      const struct ff_ack *ack, const struct ff_search_base *base,
                                      struct ff_search_decision *decision)
{
    const struct context at = {readings, ack, base, t_ns};
    const struct ff_search_sample before = state->sample;
    bool draining = readings->lower == FF_SEARCH_LOWER_DRAIN && ff_search_target_bytes(readings, state) != FF_NONE;

    ff_search_keep_sample(&state->sample, ack);
    enum ff_status status =
        draining ? on_ack_draining(&at, state, decision) : on_ack_searching(&at, state, decision);
    if (status != FF_OK) {
        state->sample = before;
    }
    return status;
}

enum ff_status ff_search_on_ack(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                const struct ff_ack *ack, const struct ff_search_base *base,
                                struct ff_search_decision *decision)
{
    bool special = ack->app_limited || ack->latest_rtt_ns == FF_NO_RTT_NS;

    if (t_ns >= state->gate_ns || special || readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK ||
        !ff_search_credit(&state->delivered, ack->bytes)) { /* [search.bins.credit] */
        return on_any_ack(readings, state, t_ns, ack, base, decision);
    }
    ff_search_keep_sample(&state->sample, ack); /* [search.rtt.reuse] */
    return conclude(decision, FF_OUTCOME_SAME_BIN); /* [search.bins.same-bin] */
}
