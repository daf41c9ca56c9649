/* Tests of the bins of SEARCH and of the size of the state. */
#include "support_search.h"

#include "firstflight/search/startup.h"

void test_state_sizes(void)
{
    static const struct {
        const char *profile;
        size_t bytes;
        uint32_t delivered, sent;
    } expected[] = {
        {"lanman-2024-literal", 240, 24, 0}, {"lanman-2024", 240, 24, 0},      {"draft-00", 247, 25, 0},
        {"draft-00-literal", 107, 5, 0},     {"draft-09", 349, 10, 25},        {"linux-3", 240, 24, 0},
        {"linux-4", 517, 10, 49},            {"picoquic-fork", 233, 23, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct ff_search_readings readings = readings_of(expected[i].profile);
        TEST_ASSERT_EQUAL_UINT64(expected[i].bytes, ff_search_state_bytes(&readings));
        TEST_ASSERT_EQUAL_UINT32(expected[i].delivered, ff_search_kept_bins(&readings, FF_SEARCH_DELIVERED));
        TEST_ASSERT_EQUAL_UINT32(expected[i].sent, ff_search_kept_bins(&readings, FF_SEARCH_SENT));
    }
}

void test_the_largest_state_has_room(void)
{
    struct ff_search_readings readings = readings_of("linux-4");

    readings.lower = FF_SEARCH_LOWER_WINDOW_AND_THRESHOLD;
    readings.rollback = FF_SEARCH_ROLLBACK_CURRENT_RTT;
    TEST_ASSERT_EQUAL_UINT32(24, ff_search_kept_bins(&readings, FF_SEARCH_DELIVERED));
    TEST_ASSERT_EQUAL_UINT32(FF_SEARCH_KEPT_BINS, ff_search_kept_bins(&readings, FF_SEARCH_SENT));
    TEST_ASSERT_TRUE(ff_search_state_bytes(&readings) <= sizeof(struct ff_search_any));
    TEST_ASSERT_TRUE(ff_search_state_bytes(&readings) + sizeof(uint64_t) > sizeof(struct ff_search_any));
}

void test_the_first_sample_starts(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = fresh(&readings);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_NO_RTT_SAMPLE, decide(&readings, state, 50, FF_NO_RTT_NS).outcome);
    TEST_ASSERT_EQUAL_UINT64(0, open_bytes(state));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, decide(&readings, state, 100, 20).outcome);
    TEST_ASSERT_EQUAL_UINT64(140, state->bin_ticks);
    TEST_ASSERT_EQUAL_UINT64(2140, ff_search_bin_end_ticks(&readings, state));
    TEST_ASSERT_EQUAL_UINT64(108, state->gate_ns);
    TEST_ASSERT_EQUAL_UINT64(1200, open_bytes(state));
}

void test_the_first_ack_counts_before_bin_0(void)
{
    struct ff_search_readings readings = readings_of("draft-09");
    struct ff_search *state = fresh(&readings);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, decide(&readings, state, 100, 20).outcome);
    TEST_ASSERT_EQUAL_UINT64(0, open_bytes(state));
    TEST_ASSERT_EQUAL_UINT64(1200, state->delivered.counter_bytes);
}

void test_an_rtt_of_zero_counts_as_one_unit(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = fresh(&readings);

    decide(&readings, state, 100, 0);
    TEST_ASSERT_EQUAL_UINT64(7, state->bin_ticks);
    TEST_ASSERT_EQUAL_UINT64(1, ff_search_rtt_units(&readings, &state->sample));
    TEST_ASSERT_EQUAL_UINT64(1, decide(&readings, state, 100, 999).outcome == FF_OUTCOME_SAME_BIN);
    readings = readings_of("linux-4");
    const struct ff_search_sample samples[] = {{999, 0, 0, 0}, {1999, 0, 0, 0}, {2000, 0, 0, 0}};
    TEST_ASSERT_EQUAL_UINT64(1, ff_search_rtt_units(&readings, &samples[0]));
    TEST_ASSERT_EQUAL_UINT64(1, ff_search_rtt_units(&readings, &samples[1]));
    TEST_ASSERT_EQUAL_UINT64(2, ff_search_rtt_units(&readings, &samples[2]));
}

void test_coarse_durations(void)
{
    struct ff_search_readings readings = readings_of("linux-4");

    /* 0.35, 0.7 and 1.05 units. */
    TEST_ASSERT_EQUAL_UINT64(20, ff_search_bin_duration_ticks(&readings, 1));
    TEST_ASSERT_EQUAL_UINT64(20, ff_search_bin_duration_ticks(&readings, 2));
    TEST_ASSERT_EQUAL_UINT64(20, ff_search_bin_duration_ticks(&readings, 3));
    TEST_ASSERT_EQUAL_UINT64(40, ff_search_bin_duration_ticks(&readings, 6));
    readings.bin_duration = FF_SEARCH_BIN_DURATION_CLOCK_OR_RESTART;
    TEST_ASSERT_EQUAL_UINT64(0, ff_search_bin_duration_ticks(&readings, 2));
    TEST_ASSERT_EQUAL_UINT64(20, ff_search_bin_duration_ticks(&readings, 3));
}

void test_without_a_duration_every_ack_starts_again(void)
{
    struct ff_search_readings readings = readings_of("linux-3");
    struct ff_search *state = fresh(&readings);

    for (uint64_t i = 1; i <= 3; i++) {
        TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, decide(&readings, state, i * MS, 2999).outcome);
        TEST_ASSERT_EQUAL_UINT64(1200 * i, state->delivered.counter_bytes);
    }
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, decide(&readings, state, 4 * MS, 3000).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, state, 4 * MS, 3000).outcome);
}

void test_the_largest_times_fit(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = fresh(&readings);

    decide(&readings, state, FF_TIME_MAX_NS, FF_TIME_MAX_NS);
    TEST_ASSERT_EQUAL_UINT64(27 * FF_TIME_MAX_NS, ff_search_bin_end_ticks(&readings, state));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, state, FF_TIME_MAX_NS, FF_TIME_MAX_NS).outcome);
}

/* Bins end as defined for all clocks and remainders: when 20 * floor(t / unit) is beyond the end. */
void test_the_gate_is_the_end_of_the_bin(void)
{
    static const uint64_t unit_ns[] = {1, 1000, 1000000};

    for (unsigned i = 0; i < 3 * 2 * 41; i++) {
        struct ff_search_readings readings = readings_of("draft-09");
        uint8_t clock = (uint8_t)(i % 3);
        uint64_t unit = unit_ns[clock];
        readings.clock = clock;
        readings.boundary = (uint8_t)(i / 3 % 2);
        readings.catch_up = FF_SEARCH_CATCH_UP_ONE;
        uint64_t rtt_units = 1 + i / 6;
        struct ff_search *state = fresh(&readings);
        decide(&readings, state, 77 * unit + unit / 2, rtt_units * unit);
        for (uint64_t bin = 0; bin < 45; bin++) {
            uint64_t end_ticks = 20 * 77 + 7 * rtt_units * (bin + 1);
            uint64_t first_units = readings.boundary == FF_SEARCH_BOUNDARY_AFTER ? end_ticks / 20 + 1 : (end_ticks + 19) / 20;
            TEST_ASSERT_EQUAL_UINT64(bin, state->curr);
            TEST_ASSERT_EQUAL_UINT64(end_ticks, ff_search_bin_end_ticks(&readings, state));
            TEST_ASSERT_EQUAL_UINT64(first_units * unit, state->gate_ns);
            /* Several short bins end at once. */
            uint64_t late_ticks = 20 * first_units - end_ticks;
            TEST_ASSERT_EQUAL_UINT64(late_ticks / (7 * rtt_units) + 1,
                                     ff_search_passed_bins(&readings, state, state->gate_ns));
            ff_search_advance(&readings, state, state->gate_ns);
        }
    }
}

void test_the_boundary_belongs_to_the_bin_or_not(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 3);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, state, NOW_NS - 1, 20).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_WARMING_UP, decide(&readings, state, NOW_NS, 20).outcome);
    TEST_ASSERT_EQUAL_UINT64(4, state->curr);
}

void test_catching_up_passes_whole_bins(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 3);

    decide(&readings, state, NOW_NS - 1 + 100 * BIN_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(103, state->curr);
    decide(&readings, state, NOW_NS + 100 * BIN_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(104, state->curr);
}

void test_one_step_per_ack(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024-literal");
    struct ff_search *state = ended(&readings, 3);

    decide(&readings, state, NOW_NS + 100 * BIN_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(4, state->curr);
}

void test_the_longest_gap_empties_the_ring(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = fresh(&readings);

    decide(&readings, state, 1, 1);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_PREVIOUS_ZERO, decide(&readings, state, FF_TIME_MAX_NS, 1).outcome);
    /* 20 * (2^59 - 1) - 27 ticks late, minus one, in bins of seven ticks, plus one bin. */
    TEST_ASSERT_EQUAL_UINT64((20 * FF_TIME_MAX_NS - 28) / 7 + 1, state->curr);
    for (uint64_t bin = state->curr - 24; bin < state->curr; bin++) {
        TEST_ASSERT_EQUAL_UINT64(0, held_bytes(&readings, state, bin));
    }
    TEST_ASSERT_EQUAL_UINT64(1200, open_bytes(state));
}

void test_which_bin_the_crossing_ack_counts_in(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    /* Three bins end: 4 to 6; bin 7 opens. */
    static const uint64_t expected[][4] = {{500, 0, 0, 1200}, {0, 0, 1700, 0}};

    for (uint8_t credit = 0; credit <= FF_SEARCH_CROSSING_CREDIT_LAST_BIN; credit++) {
        readings.crossing_credit = credit;
        struct ff_search *state = ended(&readings, 4);
        state->delivered.counter_bytes += 500;
        decide(&readings, state, NOW_NS + 2 * BIN_NS, 20);
        TEST_ASSERT_EQUAL_UINT64(7, state->curr);
        for (uint64_t i = 0; i < 3; i++) {
            TEST_ASSERT_EQUAL_UINT64(expected[credit][i], held_bytes(&readings, state, 4 + i));
        }
        TEST_ASSERT_EQUAL_UINT64(expected[credit][3], open_bytes(state));
    }
}

void test_a_full_bin_is_kept(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 4);

    state->delivered.counter_bytes += FULL;
    decide(&readings, state, NOW_NS, 20);
    TEST_ASSERT_EQUAL_UINT64(FULL, held_bytes(&readings, state, 4));
}

static void refused(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns, uint64_t rtt_ns)
{
    struct ff_event event = ack_of(t_ns, 1, 1200, t_ns);
    struct ff_search_any before;
    struct ff_observation seen;
    struct ff_base_state base;
    size_t bytes = ff_search_state_bytes(readings);

    memcpy(&before, state, bytes);
    ff_newreno_begin(&base, 1200, 12000);
    event.ack.latest_rtt_ns = rtt_ns;
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_search_startup_step(readings, state, &base, &event, &seen));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, state, bytes));
    TEST_ASSERT_EQUAL_UINT64(12000, base.cwnd_bytes);
}

void test_a_bin_that_overflows_is_refused_unchanged(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 3);

    state->delivered.counter_bytes = FULL - 1200;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, state, NOW_NS - 1, 20).outcome);
    TEST_ASSERT_EQUAL_UINT64(FULL, open_bytes(state));
    refused(&readings, state, NOW_NS - 1, 20);
    refused(&readings, state, NOW_NS, 20); /* although its bytes would count in the next bin */
    readings.crossing_credit = FF_SEARCH_CROSSING_CREDIT_LAST_BIN;
    refused(&readings, state, NOW_NS, 20);
}

void test_a_counter_that_overflows_is_refused_unchanged(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 3);

    state->delivered.opened_bytes = FF_SEARCH_COUNTER_MAX_BYTES - 1200;
    state->delivered.counter_bytes = FF_SEARCH_COUNTER_MAX_BYTES - 1200;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, state, NOW_NS - 1, 20).outcome);
    refused(&readings, state, NOW_NS - 1, 20);
    refused(&readings, state, NOW_NS, 20);
    readings.crossing_credit = FF_SEARCH_CROSSING_CREDIT_LAST_BIN;
    refused(&readings, state, NOW_NS, 20);
    readings.missed_bins_maximum = 1;
    readings.restart_counters = FF_SEARCH_RESTART_COUNTERS_KEPT;
    refused(&readings, state, NOW_NS + BIN_NS, 20);
    state->bin_ticks = 0;
    state->gate_ns = 0;
    refused(&readings, state, NOW_NS, 20);
    readings.counted_in = FF_SEARCH_COUNTED_IN_EVERY_PHASE;
    refused(&readings, state, NOW_NS, FF_NO_RTT_NS);
}
