/*
 * SEARCH: the flow of an event. Mirrors reference-py/src/firstflight/search.py.
 *
 * Nearly every ACK ends no bin. What such an ACK needs stands in ff_search_on_ack, and all else is kept out of its way.
 */
#include "firstflight/search.h"

#include "firstflight/rare.h"

/* What an ACK is processed with. */
struct context {
    const struct ff_search_readings *readings;
    const struct ff_ack *ack;
    const struct ff_search_base *base;
    uint64_t t_ns;
};

/* Forget the bins; the counters go on or begin anew. */
static void clear(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->restart_counters == FF_SEARCH_RESTART_COUNTERS_ZEROED) {
        ff_search_init(readings, state);
    } else {
        ff_search_forget(readings, state); /* [search.restart.counters] */
    }
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
        return FF_OK; /* [search.slow-start-only] */
    }
    if (!ff_search_credit(&state->delivered, ack->bytes)) { /* [search.bins.every-phase] */
        return FF_ERR_DOMAIN;
    }
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

/* Credit the ACK and conclude. */
static enum ff_status credit_and_conclude(struct ff_search *state, uint64_t bytes, struct ff_search_decision *decision,
                                          enum ff_outcome outcome)
{
    if (!ff_search_credit(&state->delivered, bytes)) {
        return FF_ERR_DOMAIN;
    }
    return conclude(decision, outcome);
}

/* Open bin 0 with this ACK, of which so many bytes count. `bin_ticks` is 0 where its RTT shall give the duration. */
static enum ff_status start(const struct context *at, struct ff_search *state, uint64_t bytes, uint64_t bin_ticks,
                            enum ff_outcome outcome, struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = at->readings;
    uint64_t rtt_units = state->rtt_units;

    if (at->ack->latest_rtt_ns != FF_NO_RTT_NS) {
        rtt_units = ff_search_rtt_units(readings, at->ack->latest_rtt_ns);
    } else if (bin_ticks == 0) {
        if (readings->counted_in == FF_SEARCH_COUNTED_IN_EVERY_PHASE) {
            return credit_and_conclude(state, bytes, decision, FF_OUTCOME_NO_RTT_SAMPLE);
        }
        return conclude(decision, FF_OUTCOME_NO_RTT_SAMPLE); /* [search.init.wait-for-sample] */
    }
    if (bin_ticks == 0) {
        bin_ticks = ff_search_bin_duration_ticks(readings, rtt_units);
    }
    if (!ff_search_count(&state->delivered, bytes)) {
        return FF_ERR_DOMAIN;
    }
    ff_search_begin(readings, state, bin_ticks, ff_search_units(readings, at->t_ns), rtt_units);
    if (readings->first_ack == FF_SEARCH_FIRST_ACK_BEFORE_BIN_0) {
        bytes = 0; /* [search.init.before-bin-0] */
    }
    state->delivered.opened_bytes -= bytes;
    return conclude(decision, outcome);
}

/* Start again because too many bins end with one ACK. */
static enum ff_status on_missed_bins(const struct context *at, struct ff_search *state, struct ff_search_decision *decision)
{
    const struct ff_search_readings *readings = at->readings;
    uint64_t bytes = at->ack->bytes;

    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK) {
        clear(readings, state);
        return conclude(decision, FF_OUTCOME_RESTARTED); /* [search.missed-bins.next-ack] */
    }
    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NOW_WITHOUT_BYTES) {
        bytes = 0; /* [search.missed-bins.without-bytes] */
    }
    bool counted =
        at->ack->latest_rtt_ns != FF_NO_RTT_NS || readings->counted_in == FF_SEARCH_COUNTED_IN_EVERY_PHASE;
    bool kept = readings->restart_counters == FF_SEARCH_RESTART_COUNTERS_KEPT;
    if (counted && kept && state->delivered.counter_bytes + bytes > FF_SEARCH_COUNTER_MAX_BYTES) {
        return FF_ERR_DOMAIN; /* before anything is forgotten */
    }
    clear(readings, state);
    return start(at, state, bytes, 0, FF_OUTCOME_RESTARTED, decision);
}

/* Take over the RTT of the reading, if the ACK has it. */
static void take_rtt(const struct context *at, struct ff_search *state)
{
    uint64_t sample_ns = at->ack->latest_rtt_ns; /* [search.rtt.latest] */

    if (at->readings->rtt == FF_SEARCH_RTT_SMOOTHED) {
        sample_ns = at->ack->smoothed_rtt_ns;
    } else if (at->readings->rtt == FF_SEARCH_RTT_MINIMUM) {
        sample_ns = at->ack->min_rtt_ns;
    }
    if (sample_ns != FF_NO_RTT_NS) {
        state->rtt_units = ff_search_rtt_units(at->readings, sample_ns);
    }
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
    uint64_t steps = ff_search_passed(readings, state, at->t_ns);

    if (readings->app_limited == FF_SEARCH_APP_LIMITED_RESTART && at->ack->app_limited) {
        return start(at, state, bytes, state->bin_ticks, FF_OUTCOME_RESTARTED, decision); /* [search.app-limited.restart] */
    }
    if (readings->missed_bins_maximum > 0 && steps > readings->missed_bins_maximum) {
        return on_missed_bins(at, state, decision); /* [search.missed-bins] */
    }
    if (readings->crossing_credit != FF_SEARCH_CROSSING_CREDIT_NEW_BIN) {
        if (!ff_search_credit(&state->delivered, bytes)) { /* [search.bins.credit-before] */
            return FF_ERR_DOMAIN;
        }
        ff_search_advance(readings, state, steps);
        take_rtt(at, state);
        decide(at, state, decision);
        return FF_OK;
    }
    if (state->delivered.counter_bytes + bytes > FF_SEARCH_COUNTER_MAX_BYTES) {
        return FF_ERR_DOMAIN; /* [search.domain] */
    }
    ff_search_advance(readings, state, steps);
    take_rtt(at, state);
    if (readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK) {
        (void)ff_search_credit(&state->delivered, bytes); /* the bin is new and the counter was tested, here and below */
        decide(at, state, decision);
        return FF_OK;
    }
    decide(at, state, decision);
    (void)ff_search_credit(&state->delivered, bytes);
    return FF_OK;
}

/* Any ACK, unless the flight is being drained. */
FF_RARE static enum ff_status on_ack_searching(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                            const struct ff_ack *ack, const struct ff_search_base *base,
                                            struct ff_search_decision *decision)
{
    const struct context at = {readings, ack, base, t_ns};

    if (readings->app_limited == FF_SEARCH_APP_LIMITED_SKIP && ack->app_limited) {
        return conclude(decision, FF_OUTCOME_APP_LIMITED); /* [search.app-limited] */
    }
    if (state->bin_ticks == 0) {
        return start(&at, state, ack->bytes, 0, FF_OUTCOME_STARTED, decision);
    }
    if (readings->app_limited == FF_SEARCH_APP_LIMITED_COUNT_BYTES && ack->app_limited) {
        return credit_and_conclude(state, ack->bytes, decision, FF_OUTCOME_APP_LIMITED); /* [search.app-limited.bytes] */
    }
    if (readings->missing_rtt == FF_SEARCH_MISSING_RTT_SKIP && ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return credit_and_conclude(state, ack->bytes, decision, FF_OUTCOME_NO_RTT_SAMPLE); /* [search.rtt.skip] */
    }
    if (t_ns >= state->gate_ns) {
        return on_boundary(&at, state, decision);
    }
    if (readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK) {
        if (!ff_search_credit(&state->delivered, ack->bytes)) {
            return FF_ERR_DOMAIN;
        }
        take_rtt(&at, state);
        decide(&at, state, decision); /* [search.evaluate.every-ack] */
        return FF_OK;
    }
    return credit_and_conclude(state, ack->bytes, decision, FF_OUTCOME_SAME_BIN);
}

/* Any ACK. What ff_search_on_ack could not credit is refused here. */
FF_RARE static enum ff_status on_any_ack(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                      const struct ff_ack *ack, const struct ff_search_base *base,
                                      struct ff_search_decision *decision)
{
    if (readings->lower != FF_SEARCH_LOWER_DRAIN || ff_search_target_bytes(readings, state) == FF_NONE) {
        return on_ack_searching(readings, state, t_ns, ack, base, decision);
    }
    if (!ff_search_count(&state->delivered, ack->bytes)) {
        return FF_ERR_DOMAIN;
    }
    ff_search_drain(readings, state, ack, base, decision);
    return FF_OK;
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
    return conclude(decision, FF_OUTCOME_SAME_BIN); /* [search.bins.same-bin] */
}
