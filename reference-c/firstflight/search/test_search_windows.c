/* Tests of the windows of SEARCH and their comparison: each test prepares a state and processes one deciding ACK. */
#include "support_search.h"

void test_the_shift_rounds_as_its_reading_says(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    /* 5 bins and exactly a half: 20 * 77 = 5.5 * 280. */
    static const uint64_t expected[] = {5, 5, 6};

    for (uint8_t shift = FF_SEARCH_SHIFT_FLOOR; shift <= FF_SEARCH_SHIFT_NEAREST_UP; shift++) {
        struct ff_search *state = ended(&readings, 3);
        state->bin_ticks = 2 * BIN_TICKS;
        readings.shift = shift;
        TEST_ASSERT_EQUAL_UINT64(expected[shift], decide(&readings, state, NOW_NS, 77).evaluation.shift_bins);
    }
}

void test_the_shift_is_raised_to_the_minimum(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");

    TEST_ASSERT_EQUAL_UINT64(1, decide(&readings, ended(&readings, 3), NOW_NS, 0).evaluation.shift_bins);
    readings = readings_of("lanman-2024-literal");
    TEST_ASSERT_EQUAL_UINT64(0, decide(&readings, ended(&readings, 3), NOW_NS, 0).evaluation.shift_bins);
}

void test_eight_bits_of_a_shift(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");

    readings.shift_width = FF_SEARCH_SHIFT_WIDTH_EIGHT_BITS;
    TEST_ASSERT_EQUAL_UINT64(255, decide(&readings, ended(&readings, 3), NOW_NS, 255 * BIN_NS).evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(1, decide(&readings, ended(&readings, 3), NOW_NS, 256 * BIN_NS).evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(3, decide(&readings, ended(&readings, 3), NOW_NS, 259 * BIN_NS).evaluation.shift_bins);
}

void test_warming_up_comes_before_an_inflated_rtt(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = fresh(&readings);

    decide(&readings, state, 1, 1);
    struct decision decision = decide(&readings, state, 2, FF_TIME_MAX_NS);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_WARMING_UP, decision.outcome);
    TEST_ASSERT_EQUAL_UINT64((20 * FF_TIME_MAX_NS + 3) / 7, decision.evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, decision.evaluation.current_bytes);
}

void test_the_guard_does_not_wrap(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    /* Shift 3: prev = curr - 3 is below zero, 9, 10 and 11. */
    static const uint64_t curr[] = {1, 12, 13, 14};
    static const bool more_than[] = {true, true, true, false};
    static const bool at_least[] = {true, true, false, false};

    for (size_t i = 0; i < sizeof curr / sizeof curr[0]; i++) {
        for (uint8_t guard = 0; guard <= FF_SEARCH_GUARD_MORE_THAN; guard++) {
            readings.guard = guard;
            bool warming = guard == FF_SEARCH_GUARD_MORE_THAN ? more_than[i] : at_least[i];
            TEST_ASSERT_EQUAL_INT(warming ? FF_OUTCOME_WARMING_UP : FF_OUTCOME_PREVIOUS_ZERO,
                                  decide(&readings, ended(&readings, curr[i] - 1), NOW_NS, 20).outcome);
        }
    }
}

/* With shift 12 the windows of completed bins do not overlap: 8 to 17 and 20 to 29 when 30 is open. */
static enum ff_outcome compare(uint8_t threshold, uint64_t previous_extra, uint64_t current_extra)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 29);
    uint64_t half = (FULL - 1) / 2;

    readings.threshold = threshold;
    fill(&readings, state, 8, 12, 2 * half); /* 10 half bins */
    fill(&readings, state, 13, 13, previous_extra);
    fill(&readings, state, 20, 25, 2 * half); /* 13 half bins */
    fill(&readings, state, 26, 26, half);
    fill(&readings, state, 27, 27, current_extra);
    return decide(&readings, state, NOW_NS, 12 * BIN_NS).outcome;
}

void test_the_threshold_is_exact_at_2_to_59(void)
{
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, compare(FF_SEARCH_THRESHOLD_AT_LEAST, 0, 0));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_BELOW_THRESHOLD, compare(FF_SEARCH_THRESHOLD_AT_LEAST, 0, 1));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_BELOW_THRESHOLD, compare(FF_SEARCH_THRESHOLD_MORE_THAN, 0, 0));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, compare(FF_SEARCH_THRESHOLD_MORE_THAN, 1, 1));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_BELOW_THRESHOLD, compare(FF_SEARCH_THRESHOLD_MORE_THAN, 1, 2));
}

void test_the_threshold_of_each_difference_and_comparison(void)
{
    /* Earlier and later window, chosen so that first * earlier = second * later. */
    static const uint64_t windows[2][2][2] = {{{10, 13}, {20, 13}}, {{25, 37}, {50, 37}}};

    for (uint8_t difference = 0; difference < 2; difference++) {
        for (uint8_t compared = 0; compared < 2; compared++) {
            for (uint64_t more = 0; more < 2; more++) {
                struct ff_search_readings readings = readings_of("draft-09");
                readings.difference = difference;
                readings.compared = compared;
                struct ff_search *state = ended(&readings, 29);
                fill_kind(&readings, state, compared ? FF_SEARCH_SENT : FF_SEARCH_DELIVERED, 8, 8,
                          1000000 * windows[difference][compared][0]);
                fill(&readings, state, 29 - 3, 29 - 3, 1000000 * windows[difference][compared][1] - 1200 + more);
                TEST_ASSERT_EQUAL_INT(more ? FF_OUTCOME_BELOW_THRESHOLD : FF_OUTCOME_EXITED,
                                      decide(&readings, state, NOW_NS, 12 * BIN_NS).outcome);
            }
        }
    }
}

void test_the_fullest_windows_do_not_overflow(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024-literal");
    struct ff_search *state = ended(&readings, 29);

    fill(&readings, state, 6, 28, FULL);
    state->delivered.counter_bytes += FULL;
    struct decision decision = decide(&readings, state, NOW_NS, 77);
    TEST_ASSERT_EQUAL_UINT64(10 * FULL, decision.evaluation.current_bytes);
    TEST_ASSERT_EQUAL_UINT64(11 * FULL, decision.evaluation.previous_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, decision.outcome);
}

void test_a_ring_of_25_aliases(void)
{
    /* Shift 15 and through_open: bins 5 to 15. Bin 5 is read as 30, open and empty; backward, bin 4 is read as 29. */
    struct ff_search_readings readings = readings_of("lanman-2024-literal");
    struct ff_search *state = ended(&readings, 29);

    fill(&readings, state, 6, 28, 100);
    struct decision decision = decide(&readings, state, NOW_NS, 15 * BIN_NS);
    TEST_ASSERT_EQUAL_UINT64(15, decision.evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(1000, decision.evaluation.previous_bytes);

    /* Windows of completed bins, half each: 5 to 14 and 4 to 13. Bin 4 is read as 29, which contains the ACK. */
    readings = readings_of("draft-00");
    state = ended(&readings, 29);
    state->bin_ticks = 2 * BIN_TICKS;
    fill(&readings, state, 5, 28, 100);
    decision = decide(&readings, state, NOW_NS, 31 * BIN_NS);
    TEST_ASSERT_EQUAL_UINT64(15, decision.evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(1000 + (1200 - 100) / 2, decision.evaluation.previous_bytes);
}

void test_only_the_newest_bin_is_kept(void)
{
    struct ff_search_readings readings = readings_of("draft-00-literal");
    struct ff_search *state = ended(&readings, 29);

    fill(&readings, state, 25, 28, 100);
    struct decision decision = decide(&readings, state, NOW_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(1200, decision.evaluation.current_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_PREVIOUS_ZERO, decision.outcome);
}

/* Shift 2 and 6/7 of a bin, 100 * i bytes in bin i. The windows are 18 to 27, 17 to 26 and 19 to 28 when 30 is open. */
static uint64_t interpolated(uint8_t interpolation, uint8_t fraction)
{
    struct ff_search_readings readings = readings_of("draft-09");
    readings.interpolation = interpolation;
    readings.fraction = fraction;
    readings.compared = FF_SEARCH_COMPARED_DELIVERED;
    struct ff_search *state = ended(&readings, 29);

    for (uint64_t bin = 16; bin < 29; bin++) {
        fill(&readings, state, bin, bin, 100 * bin);
    }
    return decide(&readings, state, NOW_NS, 20).evaluation.previous_bytes;
}

void test_interpolation(void)
{
    static const uint64_t window = 100 * (18 + 19 + 20 + 21 + 22 + 23 + 24 + 25 + 26 + 27);

    TEST_ASSERT_EQUAL_UINT64(window, interpolated(FF_SEARCH_INTERPOLATION_NONE, FF_SEARCH_FRACTION_EXACT));
    /* 6/7 of 1000 bytes is 857 1/7 bytes; the result is rounded down. */
    TEST_ASSERT_EQUAL_UINT64(window - 858, interpolated(FF_SEARCH_INTERPOLATION_BACKWARD, FF_SEARCH_FRACTION_EXACT));
    TEST_ASSERT_EQUAL_UINT64(window + 857, interpolated(FF_SEARCH_INTERPOLATION_FORWARD, FF_SEARCH_FRACTION_EXACT));
    /* 85 % */
    TEST_ASSERT_EQUAL_UINT64(window - 850, interpolated(FF_SEARCH_INTERPOLATION_BACKWARD, FF_SEARCH_FRACTION_PERCENT));
    TEST_ASSERT_EQUAL_UINT64(window + 850, interpolated(FF_SEARCH_INTERPOLATION_FORWARD, FF_SEARCH_FRACTION_PERCENT));
    TEST_ASSERT_EQUAL_UINT64(window - 850,
                             interpolated(FF_SEARCH_INTERPOLATION_BACKWARD, FF_SEARCH_FRACTION_PERCENT_TERMS));
    TEST_ASSERT_EQUAL_UINT64(window + 850,
                             interpolated(FF_SEARCH_INTERPOLATION_FORWARD, FF_SEARCH_FRACTION_PERCENT_TERMS));
}

void test_terms_are_rounded_down_each(void)
{
    struct ff_search_readings readings = readings_of("linux-3");
    readings.clock = FF_SEARCH_CLOCK_NS;
    readings.precision = FF_SEARCH_PRECISION_FULL;
    readings.boundary = FF_SEARCH_BOUNDARY_AFTER;
    readings.missed_bins_maximum = 0;
    uint64_t previous[2];

    for (uint8_t i = 0; i < 2; i++) {
        readings.fraction = i == 0 ? FF_SEARCH_FRACTION_PERCENT : FF_SEARCH_FRACTION_PERCENT_TERMS;
        struct ff_search *state = ended(&readings, 29);
        /* 15 % of 11 is 1.65, 85 % of 11 is 9.35: together 11. */
        fill(&readings, state, 17, 17, 11);
        fill(&readings, state, 27, 27, 11);
        previous[i] = decide(&readings, state, NOW_NS, 20).evaluation.previous_bytes;
    }
    TEST_ASSERT_EQUAL_UINT64(11, previous[0]);
    TEST_ASSERT_EQUAL_UINT64(10, previous[1]);
}

void test_before_bin_0_lies_nothing_or_everything(void)
{
    struct ff_search_readings readings = readings_of("draft-09");
    readings.compared = FF_SEARCH_COMPARED_DELIVERED;
    readings.guard = FF_SEARCH_GUARD_AT_LEAST;

    for (uint8_t before = 0; before < 2; before++) {
        readings.before_bin_0 = before;
        /* prev is 10: half of bins 0 to 9 and of bins -1 to 8. */
        struct ff_search *state = ended(&readings, 12);
        state->bin_ticks = 2 * BIN_TICKS;
        state->delivered.counter_bytes = 1000000;
        state->delivered.opened_bytes = 1000000;
        fill(&readings, state, 0, 9, 100);
        struct decision decision = decide(&readings, state, NOW_NS, 7 * BIN_NS);
        TEST_ASSERT_EQUAL_UINT64(950 + before * 500000, decision.evaluation.previous_bytes);
    }
}

/* 37 * (2^63 - 1) bytes in parts of 2^61 exceed 128 bits: the product saturates, and SEARCH exits as it should. */
void test_the_largest_product_saturates(void)
{
    struct ff_search_readings readings = readings_of("draft-09");
    readings.compared = FF_SEARCH_COMPARED_DELIVERED;
    readings.guard = FF_SEARCH_GUARD_AT_LEAST;
    readings.before_bin_0 = FF_SEARCH_BEFORE_BIN_0_ZERO;
    struct ff_search *state = ended(&readings, 9);
    uint64_t rtt_ns = FF_TIME_MAX_NS / 20 * 20;

    state->bin_ticks = 7 * rtt_ns;
    state->gate_ns = FF_TIME_MAX_NS;
    state->delivered.counter_bytes = FF_SEARCH_COUNTER_MAX_BYTES - 1200 - FULL;
    state->delivered.opened_bytes = state->delivered.counter_bytes;
    fill(&readings, state, 8, 8, FULL);
    /* Nearly a whole bin more than none. */
    struct decision decision = decide(&readings, state, FF_TIME_MAX_NS, rtt_ns / 20 * 7 - 1);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, decision.outcome);
    TEST_ASSERT_TRUE(decision.evaluation.previous_bytes > UINT64_C(1) << 62);
}

void test_counters_are_shifted_together(void)
{
    struct ff_search_readings readings = readings_of("linux-4");
    readings.boundary = FF_SEARCH_BOUNDARY_AFTER;
    readings.clock = FF_SEARCH_CLOCK_NS;

    for (uint64_t extra = 0; extra < 2; extra++) {
        struct ff_search *state = ended(&readings, 29);
        struct ff_search_more *more = ff_search_more(&readings, state);
        /* The counter of sent bytes is the largest: 65535, then 65536, which needs a shift by one. */
        more->sent.counter_bytes = more->sent.opened_bytes = 65535 + extra - 3001;
        fill_kind(&readings, state, FF_SEARCH_SENT, 20, 20, 3001);
        state->delivered.counter_bytes = state->delivered.opened_bytes = 0;
        fill(&readings, state, 25, 25, 1001);
        struct decision decision = decide(&readings, state, NOW_NS, 3 * BIN_NS);
        TEST_ASSERT_EQUAL_UINT64((1001 + 1200) >> extra, decision.evaluation.current_bytes);
        TEST_ASSERT_EQUAL_UINT64(extra ? (65536 >> 1) - (62535 >> 1) : 3001, decision.evaluation.previous_bytes);
    }
}

void test_live_bins_are_evaluated_at_every_ack(void)
{
    struct ff_search_readings readings = readings_of("picoquic-fork");
    readings.clock = FF_SEARCH_CLOCK_NS;
    readings.boundary = FF_SEARCH_BOUNDARY_AFTER;
    readings.interpolation = FF_SEARCH_INTERPOLATION_NONE;
    struct ff_search *state = ended(&readings, 29);

    fill(&readings, state, 10, 28, 100);
    struct decision decision = decide(&readings, state, NOW_NS - 1, 3 * BIN_NS);
    TEST_ASSERT_TRUE(decision.evaluation.shift_bins != FF_NONE);
    TEST_ASSERT_EQUAL_UINT64(9 * 100 + 1200, decision.evaluation.current_bytes);
    TEST_ASSERT_EQUAL_UINT64(1000, decision.evaluation.previous_bytes);
    readings.interpolation = FF_SEARCH_INTERPOLATION_FORWARD;
    decision = decide(&readings, state, NOW_NS - 1, BIN_NS - 1);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RTT_BELOW_BIN, decision.outcome);
}

void test_nothing_delivered_is_no_decision_or_an_exit(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");

    for (uint8_t current = 0; current < 2; current++) {
        readings.current_zero = current;
        struct ff_search *state = ended(&readings, 29);
        fill(&readings, state, 8, 15, 100);
        TEST_ASSERT_EQUAL_INT(current == FF_SEARCH_CURRENT_ZERO_DECIDES ? FF_OUTCOME_EXITED : FF_OUTCOME_CURRENT_ZERO,
                              decide(&readings, state, NOW_NS, 12 * BIN_NS).outcome);
    }
}
