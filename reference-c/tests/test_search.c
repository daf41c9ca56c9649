/* SEARCH: each test prepares a state and lets one ACK decide. */
#include "support.h"

#define FULL FF_BIN_MAX_BYTES

/* Initial RTT 20 ns: bins of 140 ticks, 7 ns. */
enum { BIN_TICKS = 140, BIN_NS = 7, NOW_NS = 1000000 };

static struct ff_search_readings literal(void)
{
    return ff_search_profiles[0].readings;
}

static struct ff_search_readings recommended(void)
{
    return ff_search_profiles[1].readings;
}

/* The state in which bin `curr` is open and ended one tick before NOW_NS. */
static struct ff_search ended(uint64_t curr)
{
    struct ff_search state;

    ff_search_begin(&state);
    state.bin_ticks = BIN_TICKS;
    state.bin_end_ticks = 20 * (uint64_t)NOW_NS - 1;
    state.curr = curr;
    state.slot = (uint32_t)(curr % FF_SEARCH_RING_BINS);
    state.rtt_ns = 20;
    return state;
}

static void fill(struct ff_search *state, uint64_t first, uint64_t last, uint64_t bytes)
{
    for (uint64_t bin = first; bin <= last; bin++) {
        state->bins[bin % FF_SEARCH_RING_BINS] = bytes;
    }
}

/* An ACK of 1200 bytes at t_ns with the given RTT; a window of 2^61 bytes before it. */
static struct ff_search_decision decide(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                        uint64_t rtt_ns)
{
    struct ff_search_decision decision;
    struct ff_event event = ack_of(t_ns, 1, 1200, t_ns);

    event.ack.latest_rtt_ns = rtt_ns;
    event.ack.smoothed_rtt_ns = FF_NO_RTT_NS;
    event.ack.min_rtt_ns = FF_NO_RTT_NS;
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_search_on_ack(readings, state, t_ns, &event.ack, UINT64_C(1) << 61, 2400, &decision));
    return decision;
}

void test_the_first_sample_starts(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state;

    ff_search_begin(&state);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_NO_RTT_SAMPLE, decide(&readings, &state, 50, FF_NO_RTT_NS).evaluation.outcome);
    TEST_ASSERT_EQUAL_UINT64(0, state.bins[0]);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, decide(&readings, &state, 100, 20).evaluation.outcome);
    TEST_ASSERT_EQUAL_UINT64(140, state.bin_ticks);
    TEST_ASSERT_EQUAL_UINT64(2140, state.bin_end_ticks);
    TEST_ASSERT_EQUAL_UINT64(1200, state.bins[0]);
}

void test_an_initial_rtt_of_zero_counts_as_one(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state;

    ff_search_begin(&state);
    decide(&readings, &state, 100, 0);
    TEST_ASSERT_EQUAL_UINT64(7, state.bin_ticks);
    TEST_ASSERT_EQUAL_UINT64(1, state.rtt_ns);
}

void test_the_largest_times_fit(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state;

    ff_search_begin(&state);
    decide(&readings, &state, FF_TIME_MAX_NS, FF_TIME_MAX_NS);
    TEST_ASSERT_EQUAL_UINT64(27 * FF_TIME_MAX_NS, state.bin_end_ticks);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN,
                          decide(&readings, &state, FF_TIME_MAX_NS, FF_TIME_MAX_NS).evaluation.outcome);
}

void test_the_boundary_belongs_to_the_bin_or_not(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state = ended(3);

    state.bin_end_ticks = 20 * (uint64_t)NOW_NS;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, &state, NOW_NS, 20).evaluation.outcome);
    readings.boundary = FF_SEARCH_BOUNDARY_AT;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_WARMING_UP, decide(&readings, &state, NOW_NS, 20).evaluation.outcome);
    TEST_ASSERT_EQUAL_UINT64(4, state.curr);
}

void test_catching_up_passes_whole_bins(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state = ended(3);

    /* The bin that ends exactly at this ACK is still the open one. */
    state.bin_end_ticks = 20 * (uint64_t)NOW_NS;
    decide(&readings, &state, NOW_NS + 100 * BIN_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(103, state.curr);
    TEST_ASSERT_EQUAL_UINT64(3, state.slot);
    decide(&readings, &state, NOW_NS + 100 * BIN_NS + 1, 20);
    TEST_ASSERT_EQUAL_UINT64(104, state.curr);
}

void test_one_step_per_ack(void)
{
    struct ff_search_readings readings = literal();
    struct ff_search state = ended(3);

    decide(&readings, &state, NOW_NS + 100 * BIN_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(4, state.curr);
}

void test_the_longest_gap_empties_the_ring(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state;

    ff_search_begin(&state);
    decide(&readings, &state, 1, 1);
    fill(&state, 0, 24, FULL);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_PREVIOUS_ZERO, decide(&readings, &state, FF_TIME_MAX_NS, 1).evaluation.outcome);
    /* 20 * (2^59 - 1) - 27 ticks late, less one, in bins of seven ticks, and one more. */
    TEST_ASSERT_EQUAL_UINT64((20 * FF_TIME_MAX_NS - 28) / 7 + 1, state.curr);
    for (uint32_t slot = 0; slot < FF_SEARCH_RING_BINS; slot++) {
        TEST_ASSERT_EQUAL_UINT64(slot == state.slot ? 1200 : 0, state.bins[slot]);
    }
}

void test_the_shift_rounds_as_its_reading_says(void)
{
    struct ff_search_readings readings = recommended();
    /* 5 bins and exactly a half: 20 * 38.5 = 5.5 * 140, so the bin is twice as long. */
    static const uint64_t expected[] = {5, 5, 6};

    for (uint8_t shift = FF_SEARCH_SHIFT_FLOOR; shift <= FF_SEARCH_SHIFT_NEAREST_UP; shift++) {
        struct ff_search state = ended(3);
        state.bin_ticks = 2 * BIN_TICKS;
        readings.shift = shift;
        TEST_ASSERT_EQUAL_UINT64(expected[shift], decide(&readings, &state, NOW_NS, 77).evaluation.shift_bins);
    }
}

void test_the_shift_is_raised_to_the_minimum(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state = ended(3);

    TEST_ASSERT_EQUAL_UINT64(1, decide(&readings, &state, NOW_NS, 0).evaluation.shift_bins);
    readings = literal();
    state = ended(3);
    TEST_ASSERT_EQUAL_UINT64(0, decide(&readings, &state, NOW_NS, 0).evaluation.shift_bins);
}

void test_an_inflated_rtt_comes_before_warming_up(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state;

    ff_search_begin(&state);
    decide(&readings, &state, 1, 1);
    struct ff_search_decision decision = decide(&readings, &state, 2, FF_TIME_MAX_NS);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RTT_INFLATED, decision.evaluation.outcome);
    TEST_ASSERT_EQUAL_UINT64((20 * FF_TIME_MAX_NS + 3) / 7, decision.evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, decision.evaluation.current_bytes);
}

void test_the_guard_does_not_wrap(void)
{
    struct ff_search_readings readings = recommended();

    /* Shift 3: prev is curr - 3; below zero, 9, 10 and 11. */
    static const uint64_t curr[] = {1, 12, 13, 14};
    static const enum ff_outcome more_than[] = {FF_OUTCOME_WARMING_UP, FF_OUTCOME_WARMING_UP, FF_OUTCOME_WARMING_UP,
                                                FF_OUTCOME_PREVIOUS_ZERO};
    static const enum ff_outcome at_least[] = {FF_OUTCOME_WARMING_UP, FF_OUTCOME_WARMING_UP, FF_OUTCOME_PREVIOUS_ZERO,
                                               FF_OUTCOME_PREVIOUS_ZERO};
    for (size_t i = 0; i < sizeof curr / sizeof curr[0]; i++) {
        struct ff_search state = ended(curr[i] - 1);
        readings.guard = FF_SEARCH_GUARD_MORE_THAN;
        TEST_ASSERT_EQUAL_INT(more_than[i], decide(&readings, &state, NOW_NS, 20).evaluation.outcome);
        state = ended(curr[i] - 1);
        readings.guard = FF_SEARCH_GUARD_AT_LEAST;
        TEST_ASSERT_EQUAL_INT(at_least[i], decide(&readings, &state, NOW_NS, 20).evaluation.outcome);
    }
}

/* Shift 11 parts the two windows: bins 9 to 19 and 20 to 30 when 30 is open. */
static struct ff_search_decision compare(uint8_t threshold, uint64_t previous_extra, uint64_t current_extra)
{
    struct ff_search_readings readings = literal();
    struct ff_search state = ended(29);

    readings.threshold = threshold;
    fill(&state, 9, 13, FULL); /* 10 * 2^55 */
    fill(&state, 14, 14, previous_extra);
    fill(&state, 20, 25, FULL); /* 13 * 2^55 */
    fill(&state, 26, 26, FULL / 2);
    fill(&state, 27, 27, current_extra);
    return decide(&readings, &state, NOW_NS, 77);
}

void test_the_threshold_is_exact_beyond_2_to_62(void)
{
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, compare(FF_SEARCH_THRESHOLD_AT_LEAST, 0, 0).evaluation.outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_BELOW_THRESHOLD, compare(FF_SEARCH_THRESHOLD_AT_LEAST, 0, 1).evaluation.outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_BELOW_THRESHOLD, compare(FF_SEARCH_THRESHOLD_MORE_THAN, 0, 0).evaluation.outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, compare(FF_SEARCH_THRESHOLD_MORE_THAN, 1, 1).evaluation.outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_BELOW_THRESHOLD, compare(FF_SEARCH_THRESHOLD_MORE_THAN, 1, 2).evaluation.outcome);
}

void test_the_fullest_windows_do_not_overflow(void)
{
    struct ff_search_readings readings = literal();
    struct ff_search state = ended(29);

    fill(&state, 5, 29, FULL);
    struct ff_search_decision decision = decide(&readings, &state, NOW_NS, 77);
    TEST_ASSERT_EQUAL_UINT64(10 * FULL, decision.evaluation.current_bytes);
    TEST_ASSERT_EQUAL_UINT64(11 * FULL, decision.evaluation.previous_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, decision.evaluation.outcome);
}

void test_at_shift_15_the_oldest_bin_is_the_open_one(void)
{
    struct ff_search_readings readings = literal();
    struct ff_search state = ended(29);

    fill(&state, 5, 29, 100);
    struct ff_search_decision decision = decide(&readings, &state, NOW_NS, 105);
    TEST_ASSERT_EQUAL_UINT64(15, decision.evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(1000, decision.evaluation.current_bytes);
    TEST_ASSERT_EQUAL_UINT64(1000, decision.evaluation.previous_bytes);
}

void test_the_exit_floors_as_its_reading_says(void)
{
    struct ff_search_readings readings = literal();
    struct ff_search state = ended(29);

    fill(&state, 5, 29, FULL);
    /* A window of 2^61 = 32 * 2^56 less five full bins and the open one. */
    TEST_ASSERT_EQUAL_UINT64(27 * FULL, decide(&readings, &state, NOW_NS, 77).exit.cwnd_bytes);

    struct ff_event event = ack_of(NOW_NS, 1, 1200, NOW_NS);
    struct ff_search_decision decision;
    event.ack.latest_rtt_ns = 77;
    state = ended(29);
    fill(&state, 5, 29, 1000);
    ff_search_on_ack(&readings, &state, NOW_NS, &event.ack, 4999, 2400, &decision);
    TEST_ASSERT_EQUAL_UINT64(0, decision.exit.cwnd_bytes);
    readings.window_floor = FF_SEARCH_WINDOW_FLOOR_MINIMUM;
    state = ended(29);
    fill(&state, 5, 29, 1000);
    ff_search_on_ack(&readings, &state, NOW_NS, &event.ack, 4999, 2400, &decision);
    TEST_ASSERT_EQUAL_UINT64(2400, decision.exit.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(2400, decision.exit.ssthresh_bytes);
}

void test_what_the_exit_lowers(void)
{
    struct ff_search_readings readings = recommended();
    static const uint64_t cwnd[] = {26, 32, 32};
    static const uint64_t ssthresh[] = {26, 26, 32};

    for (uint8_t lower = 0; lower <= FF_SEARCH_LOWER_NOTHING; lower++) {
        struct ff_search state = ended(29);
        readings.lower = lower;
        fill(&state, 5, 29, FULL);
        struct ff_search_decision decision = decide(&readings, &state, NOW_NS, 77);
        TEST_ASSERT_EQUAL_UINT64(cwnd[lower] * FULL, decision.exit.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(ssthresh[lower] * FULL, decision.exit.ssthresh_bytes);
    }
}

void test_the_crossing_ack_counts_in_the_new_or_the_completed_bin(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state = ended(3);

    decide(&readings, &state, NOW_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(0, state.bins[3]);
    TEST_ASSERT_EQUAL_UINT64(1200, state.bins[4]);
    readings.crossing_credit = FF_SEARCH_CROSSING_CREDIT_COMPLETED_BIN;
    state = ended(3);
    decide(&readings, &state, NOW_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(1200, state.bins[3]);
    TEST_ASSERT_EQUAL_UINT64(0, state.bins[4]);
}

void test_a_bin_that_overflows_is_refused_unchanged(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_event event = ack_of(NOW_NS, 1, 1200, NOW_NS);
    struct ff_search_decision decision;
    struct ff_search state = ended(3);
    struct ff_search before;

    state.bin_end_ticks += 1;
    state.bins[3] = FULL - 1200;
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_search_on_ack(&readings, &state, NOW_NS, &event.ack, 12000, 2400, &decision));
    TEST_ASSERT_EQUAL_UINT64(FULL, state.bins[3]);
    memcpy(&before, &state, sizeof before);
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_search_on_ack(&readings, &state, NOW_NS, &event.ack, 12000, 2400, &decision));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, &state, sizeof before));

    readings.crossing_credit = FF_SEARCH_CROSSING_CREDIT_COMPLETED_BIN;
    state.bin_end_ticks -= 1;
    memcpy(&before, &state, sizeof before);
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_search_on_ack(&readings, &state, NOW_NS, &event.ack, 12000, 2400, &decision));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, &state, sizeof before));
}

void test_a_missing_sample_repeats_the_rtt_of_the_last_evaluation(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state = ended(3);

    TEST_ASSERT_EQUAL_UINT64(3, decide(&readings, &state, NOW_NS, FF_NO_RTT_NS).evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(11, decide(&readings, &state, NOW_NS + 2 * BIN_NS, 77).evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(11, decide(&readings, &state, NOW_NS + 3 * BIN_NS, FF_NO_RTT_NS).evaluation.shift_bins);
    readings.rtt = FF_SEARCH_RTT_MINIMUM;
    TEST_ASSERT_EQUAL_UINT64(11, decide(&readings, &state, NOW_NS + 4 * BIN_NS, 20).evaluation.shift_bins);
}

void test_persistent_congestion_restarts_or_not(void)
{
    struct ff_search_readings readings = recommended();
    struct ff_search state = ended(3);

    ff_search_on_persistent_congestion(&readings, &state);
    TEST_ASSERT_EQUAL_UINT64(0, state.bin_ticks);
    TEST_ASSERT_EQUAL_UINT64(0, state.curr);
    readings.restart = FF_SEARCH_RESTART_RESUME;
    state = ended(3);
    ff_search_on_persistent_congestion(&readings, &state);
    TEST_ASSERT_EQUAL_UINT64(3, state.curr);
}
