/*
 * Event processing of SEARCH. Mirrors reference-py/src/firstflight/search/search.py.
 *
 * Differences from the model, for speed and size: one comparison with gate_ns (state.h) detects the end of a bin. Bins
 * are packed (layout.h). Code for rare ACKs is out of line (rare.h): most ACKs end no bin and run only ff_search_on_ack
 * and on_counted_ack.
 */
#include "firstflight/search/search.h"

#include "firstflight/rare.h"
#include "firstflight/search/exit.h"

enum ff_status ff_search_on_sent(const struct ff_search_readings *readings, struct ff_search *state, uint64_t sent_bytes,
                                 bool slow_start)
{
    if (readings->compared == FF_SEARCH_COMPARED_DELIVERED ||
        (!slow_start && readings->counted_in == FF_SEARCH_COUNTED_IN_SLOW_START)) {
        return FF_OK;
    }
    struct ff_search_series *sent = &ff_search_more(readings, state)->sent;
    if (!ff_search_has_room(sent, sent_bytes)) {
        return FF_ERR_DOMAIN; /* [search.domain] */
    }
    ff_search_credit(sent, sent_bytes); /* [search.bins.sent] */
    return FF_OK;
}

void ff_search_on_ack_elsewhere(const struct ff_search_readings *readings, struct ff_search *state,
                                const struct ff_ack *ack)
{
    ff_search_keep_sample(&state->sample, ack);
    if (readings->counted_in == FF_SEARCH_COUNTED_IN_SLOW_START) {
        return; /* [search.slow-start-only] */
    }
    ff_search_credit(&state->delivered, ack->bytes); /* [search.bins.every-phase] */
}

/* Reset the bins, but not the last sample. The counters continue or restart at 0, as the reading requires. */
static void clear(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->restart_counters == FF_SEARCH_RESTART_COUNTERS_ZEROED) {
        ff_search_zero_counters(readings, state);
        ff_search_forget(readings, state);
    } else {
        ff_search_forget(readings, state); /* [search.restart.counters] */
    }
}

void ff_search_on_persistent_congestion(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->persistent == FF_SEARCH_PERSISTENT_REINITIALISE) {
        clear(readings, state); /* [search.restart] */
    }
}

void ff_search_on_idle_restart(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->idle_restart == FF_SEARCH_IDLE_RESTART_REINITIALISE) {
        clear(readings, state); /* [search.idle-restart] */
    }
}

/* Return the bin duration for the last RTT sample; a sample exists. */
static uint64_t duration_ticks(const struct ff_search_readings *readings, const struct ff_search *state)
{
    return ff_search_bin_duration_ticks(readings, ff_search_latest_units(readings, &state->sample));
}

/* Skip an app-limited ACK. Its sample may still set the bin duration. */
static enum ff_outcome pass_over(const struct ff_search_readings *readings, struct ff_search *state)
{
    if (readings->initial_rtt == FF_SEARCH_INITIAL_RTT_FIRST_SAMPLE && state->bin_ticks == 0 &&
        state->sample.latest_ns != FF_NO_RTT_NS) {
        state->bin_ticks = duration_ticks(readings, state); /* [search.init.first-sample] */
    }
    return FF_OUTCOME_APP_LIMITED; /* [search.app-limited] */
}

/* Return whether an ACK is ignored, and store why. An ignored ACK starts and ends no bin; only its bytes count. */
static bool ignored(const struct ff_search_readings *readings, const struct ff_search *state, const struct ff_ack *ack,
                    enum ff_outcome *why)
{
    if (ack->app_limited && readings->app_limited == FF_SEARCH_APP_LIMITED_COUNT_BYTES) {
        *why = FF_OUTCOME_APP_LIMITED; /* [search.app-limited.bytes] */
        return true;
    }
    if (state->sample.latest_ns == FF_NO_RTT_NS) {
        *why = FF_OUTCOME_NO_RTT_SAMPLE; /* [search.init.wait-for-sample] */
        return true;
    }
    if (ack->latest_rtt_ns == FF_NO_RTT_NS && readings->missing_rtt == FF_SEARCH_MISSING_RTT_SKIP) {
        *why = FF_OUTCOME_NO_RTT_SAMPLE; /* [search.rtt.skip] */
        return true;
    }
    return false;
}

/* Open bin 0 with this ACK. If no bin duration is set, the last sample gives it. */
FF_RARE static enum ff_outcome start(const struct ff_search_readings *readings, struct ff_search *state,
                                     uint64_t t_ns, const struct ff_ack *ack)
{
    uint64_t bin_ticks = state->bin_ticks > 0 ? state->bin_ticks : duration_ticks(readings, state);

    ff_search_open_first_bin(readings, state, bin_ticks, ff_search_units(readings, t_ns));
    if (readings->first_ack == FF_SEARCH_FIRST_ACK_IN_BIN_0) {
        ff_search_credit(&state->delivered, ack->bytes);
    } else {
        ff_search_count(&state->delivered, ack->bytes); /* [search.init.before-bin-0] */
    }
    return FF_OUTCOME_STARTED;
}

/* Restart because too many bins end with this ACK. */
static enum ff_outcome restart(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                               const struct ff_ack *ack, uint64_t bins)
{
    uint64_t bin_ticks = state->bin_ticks;

    clear(readings, state); /* [search.missed-bins] */
    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK) {
        return FF_OUTCOME_RESTARTED; /* [search.missed-bins.next-ack] */
    }
    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK_THIS_RTT) {
        state->bin_ticks = duration_ticks(readings, state); /* [search.missed-bins.this-rtt] */
        return FF_OUTCOME_RESTARTED;
    }
    if (readings->missed_bins_restart == FF_SEARCH_MISSED_BINS_RESTART_NOW_OLD_DURATION && bins <= FF_SEARCH_WINDOW_BINS) {
        state->bin_ticks = bin_ticks; /* [search.missed-bins.old-duration] */
    }
    (void)start(readings, state, t_ns, ack);
    return FF_OUTCOME_RESTARTED;
}

/* Evaluate the windows. At the threshold leave slow start, or begin to drain if the readings do. */
FF_RARE static enum ff_outcome decide(const struct ff_search_readings *readings, struct ff_search *state,
                                      struct ff_base_state *base, const struct ff_ack *ack,
                                      struct ff_search_evaluation *evaluation)
{
    enum ff_outcome outcome = ff_search_evaluate(readings, state, evaluation);

    if (outcome == FF_OUTCOME_EXITED) {
        if (readings->lower == FF_SEARCH_LOWER_DRAIN) {
            ff_search_begin_drain(readings, state, base);
        } else {
            ff_search_leave(readings, state, base, ack);
        }
    }
    return outcome;
}

/* Process an ACK that ends bins. Credit its bytes to the last of them, or to the new bin before or after evaluation. */
FF_RARE static enum ff_outcome on_boundary(const struct ff_search_readings *readings, struct ff_search *state,
                                           struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                           struct ff_search_evaluation *evaluation)
{
    uint64_t bins = ff_search_passed_bins(readings, state, t_ns);

    if (ack->app_limited && readings->app_limited == FF_SEARCH_APP_LIMITED_RESTART) {
        (void)start(readings, state, t_ns, ack);
        return FF_OUTCOME_RESTARTED; /* [search.app-limited.restart] */
    }
    if (readings->missed_bins_maximum > 0 && bins > readings->missed_bins_maximum) {
        return restart(readings, state, t_ns, ack, bins);
    }
    if (readings->crossing_credit == FF_SEARCH_CROSSING_CREDIT_LAST_BIN) {
        ff_search_credit(&state->delivered, ack->bytes); /* [search.bins.credit-before] */
        ff_search_advance(readings, state, t_ns);
        return decide(readings, state, base, ack, evaluation);
    }
    ff_search_advance(readings, state, t_ns);
    if (readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK) {
        ff_search_credit(&state->delivered, ack->bytes);
        return decide(readings, state, base, ack, evaluation);
    }
    enum ff_outcome outcome = decide(readings, state, base, ack, evaluation);
    if (outcome == FF_OUTCOME_EXITED && readings->exit_bin == FF_SEARCH_EXIT_BIN_LEFT_OPEN &&
        ff_search_target_bytes(readings, state) == FF_NONE) {
        ff_search_reopen(readings, state); /* [search.exit.bin-left-open] */
    } else {
        ff_search_credit(&state->delivered, ack->bytes); /* [search.bins.credit] */
    }
    return outcome;
}

/* Return whether an ACK arrives before the open bin ends. */
static bool in_open_bin(const struct ff_search *state, uint64_t t_ns)
{
    return t_ns < state->gate_ns;
}

/* Process an ACK that is not ignored: credit, advance, evaluate, exit. */
static inline enum ff_outcome on_counted_ack(const struct ff_search_readings *readings, struct ff_search *state,
                                             struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                             struct ff_search_evaluation *evaluation)
{
    if (state->gate_ns == 0) {
        return start(readings, state, t_ns, ack);
    }
    if (!in_open_bin(state, t_ns)) {
        return on_boundary(readings, state, base, t_ns, ack, evaluation);
    }
    ff_search_credit(&state->delivered, ack->bytes); /* [search.bins.credit] */
    if (readings->evaluated == FF_SEARCH_EVALUATED_EVERY_ACK) {
        return decide(readings, state, base, ack, evaluation); /* [search.evaluate.every-ack] */
    }
    return FF_OUTCOME_SAME_BIN; /* [search.bins.same-bin] */
}

/* Process an app-limited ACK or an ACK without RTT sample. The bytes of an ignored ACK may still be counted. */
FF_RARE static enum ff_outcome on_ignorable_ack(const struct ff_search_readings *readings, struct ff_search *state,
                                                struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack,
                                                struct ff_search_evaluation *evaluation)
{
    enum ff_outcome why;

    if (ack->app_limited && readings->app_limited == FF_SEARCH_APP_LIMITED_SKIP) {
        return pass_over(readings, state);
    }
    if (!ignored(readings, state, ack, &why)) {
        return on_counted_ack(readings, state, base, t_ns, ack, evaluation);
    }
    if (state->gate_ns > 0) {
        ff_search_credit(&state->delivered, ack->bytes);
    } else {
        ff_search_count(&state->delivered, ack->bytes); /* [search.bins.none-open] */
    }
    return why;
}

enum ff_outcome ff_search_on_ack(const struct ff_search_readings *readings, struct ff_search *state, struct ff_base_state *base,
                                 uint64_t t_ns, const struct ff_ack *ack, struct ff_search_evaluation *evaluation)
{
    ff_search_keep_sample(&state->sample, ack); /* [search.rtt.reuse] */
    if (state->gate_ns == 0 && ff_search_target_bytes(readings, state) != FF_NONE) {
        return ff_search_drain(readings, state, base, ack);
    }
    if (ack->app_limited || ack->latest_rtt_ns == FF_NO_RTT_NS) {
        return on_ignorable_ack(readings, state, base, t_ns, ack, evaluation);
    }
    return on_counted_ack(readings, state, base, t_ns, ack, evaluation);
}
