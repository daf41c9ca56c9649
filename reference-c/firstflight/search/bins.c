/* The bins of SEARCH. Mirrors reference-py/src/firstflight/search/bins.py. */
#include "firstflight/search/bins.h"

#include "firstflight/search/layout.h"

uint64_t ff_search_bin_duration_ticks(const struct ff_search_readings *readings, uint64_t rtt_units)
{
    /* Below 7 * 2^59. */
    if (readings->bin_duration == FF_SEARCH_BIN_DURATION_EXACT) {
        return FF_SEARCH_BIN_TICKS_PER_RTT * rtt_units; /* [search.init.first-ack] */
    }
    uint64_t whole_units =
        FF_SEARCH_BIN_TICKS_PER_RTT * rtt_units / FF_SEARCH_TICKS_PER_UNIT; /* [search.init.coarse-duration] */
    if (whole_units == 0 && readings->bin_duration == FF_SEARCH_BIN_DURATION_CLOCK) {
        whole_units = 1;
    }
    return FF_SEARCH_TICKS_PER_UNIT * whole_units;
}

void ff_search_open_first_bin(const struct ff_search_readings *readings, struct ff_search *state, uint64_t bin_ticks,
                              uint64_t now_units)
{
    struct ff_search_more *more = ff_search_more(readings, state);
    uint64_t bin_end_ticks = FF_SEARCH_TICKS_PER_UNIT * now_units + bin_ticks;

    state->bin_ticks = bin_ticks;
    state->gate_ns = bin_ticks > 0 ? ff_search_gate_ns(readings, bin_end_ticks) : 0;
    state->curr = 0;
    state->delivered.opened_bytes = state->delivered.counter_bytes;
    if (more != NULL) {
        more->sent.opened_bytes = more->sent.counter_bytes;
    }
}

void ff_search_forget(const struct ff_search_readings *readings, struct ff_search *state)
{
    struct ff_search_more *more = ff_search_more(readings, state);

    ff_search_open_first_bin(readings, state, 0, 0);
    if (more != NULL) {
        more->target_bytes = FF_NONE;
        more->drain_acked = 0;
    }
}

void ff_search_zero_counters(const struct ff_search_readings *readings, struct ff_search *state)
{
    struct ff_search_more *more = ff_search_more(readings, state);

    state->delivered.counter_bytes = 0;
    if (more != NULL) {
        more->sent.counter_bytes = 0;
    }
}

/* Return the ticks since the end of the open bin. */
static uint64_t late_ticks(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    uint64_t now_ticks = FF_SEARCH_TICKS_PER_UNIT * ff_search_units(readings, t_ns); /* below 20 * 2^59 */

    return now_ticks - ff_search_bin_end_ticks(readings, state);
}

uint64_t ff_search_passed_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    return late_ticks(readings, state, t_ns) / state->bin_ticks + 1; /* [search.bins.passed] */
}

/* Return the number of bins that end now, including the open bin. */
static uint64_t ended_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns)
{
    uint64_t bins = ff_search_passed_bins(readings, state, t_ns);
    bool at_an_end = late_ticks(readings, state, t_ns) % state->bin_ticks == 0;

    if (readings->ended_bins == FF_SEARCH_ENDED_BINS_EACH_TESTED && readings->boundary == FF_SEARCH_BOUNDARY_AFTER &&
        at_an_end) {
        bins--; /* [search.bins.each-tested] */
    }
    return readings->catch_up == FF_SEARCH_CATCH_UP_ONE ? 1 : bins;
}

/* End bins. The bytes of the open bin go to the first or to the last of them; the others are empty. */
static void complete(const struct ff_search_readings *readings, const struct ff_search *state, enum ff_search_kind kind,
                     struct ff_search_series *series, uint64_t bins)
{
    uint8_t *slots = ff_search_slots(readings, state, kind);
    uint32_t kept = ff_search_kept_bins(readings, kind);
    uint64_t next = state->curr + bins;
    uint64_t filled = readings->crossing_credit == FF_SEARCH_CROSSING_CREDIT_LAST_BIN ? next - 1 : state->curr;
    /* Store only the last `kept` bins: older bins are never read. */
    uint64_t bin = bins > kept ? next - kept : state->curr;

    for (uint32_t slot = (uint32_t)(bin % kept); bin < next; bin++) {
        ff_search_store(slots, slot, bin == filled ? series->counter_bytes - series->opened_bytes : 0);
        slot = slot + 1 == kept ? 0 : slot + 1;
    }
    series->opened_bytes = series->counter_bytes;
}

void ff_search_advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns)
{
    uint64_t bins = ended_bins(readings, state, t_ns);
    uint64_t bin_end_ticks = ff_search_bin_end_ticks(readings, state) + bins * state->bin_ticks;

    complete(readings, state, FF_SEARCH_DELIVERED, &state->delivered, bins);
    if (readings->compared == FF_SEARCH_COMPARED_SENT) {
        complete(readings, state, FF_SEARCH_SENT, &ff_search_more(readings, state)->sent, bins);
    }
    state->curr += bins; /* below 20 * 2^59 / 7 < 2^61 */
    state->gate_ns = ff_search_gate_ns(readings, bin_end_ticks); /* [search.bins.advance] */
}

void ff_search_reopen(const struct ff_search_readings *readings, struct ff_search *state)
{
    uint64_t bin_end_ticks = ff_search_bin_end_ticks(readings, state) - state->bin_ticks;
    uint64_t last = --state->curr;
    uint32_t slot = (uint32_t)(last % ff_search_kept_bins(readings, FF_SEARCH_DELIVERED));

    state->delivered.opened_bytes -= ff_search_load(ff_search_slots(readings, state, FF_SEARCH_DELIVERED), slot);
    if (readings->compared == FF_SEARCH_COMPARED_SENT) {
        slot = (uint32_t)(last % ff_search_kept_bins(readings, FF_SEARCH_SENT));
        ff_search_more(readings, state)->sent.opened_bytes -=
            ff_search_load(ff_search_slots(readings, state, FF_SEARCH_SENT), slot);
    }
    state->gate_ns = ff_search_gate_ns(readings, bin_end_ticks);
}
