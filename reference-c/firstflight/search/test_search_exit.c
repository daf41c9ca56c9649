/* Tests of the exit from slow start. */
#include "support_search.h"

/* Return the base controller after an exit with 1000 bytes in each stored bin, and an RTT of 11 bins. */
static struct ff_base_state leave(const struct ff_search_readings *readings, uint64_t cwnd_bytes)
{
    struct ff_search *state = ended(readings, 29);

    fill(readings, state, 30 - ff_search_kept_bins(readings, FF_SEARCH_DELIVERED), 28, 1000);
    state->delivered.counter_bytes += 1000;
    struct decision decision = decide_at(readings, state, NOW_NS, 77, cwnd_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, decision.outcome);
    return decision.base;
}

void test_what_the_exit_lowers(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    static const uint64_t cwnd[] = {44000, 50000, 50000};
    static const uint64_t ssthresh[] = {44000, 44000, 50000};

    for (uint8_t lower = 0; lower <= FF_SEARCH_LOWER_NOTHING; lower++) {
        readings.lower = lower;
        struct ff_base_state left = leave(&readings, 50000);
        TEST_ASSERT_EQUAL_UINT64(cwnd[lower], left.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(ssthresh[lower], left.ssthresh_bytes);
    }
}

void test_the_overshoot_has_as_many_bins_as_its_reading_says(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    /* Twice the shift of 11. */
    static const uint64_t bins[] = {0, 5, 6, 22};

    for (uint8_t rollback = 0; rollback <= FF_SEARCH_ROLLBACK_CURRENT_RTT; rollback++) {
        readings.rollback = rollback;
        TEST_ASSERT_EQUAL_UINT64(50000 - 1000 * bins[rollback], leave(&readings, 50000).cwnd_bytes);
    }
}

void test_the_exit_floors_as_its_reading_says(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    static const uint64_t expected[] = {0, 2400, 6000};

    for (uint8_t window_floor = 0; window_floor <= FF_SEARCH_WINDOW_FLOOR_UNCHANGED; window_floor++) {
        readings.window_floor = window_floor;
        TEST_ASSERT_EQUAL_UINT64(expected[window_floor], leave(&readings, 6000).cwnd_bytes);
    }
    TEST_ASSERT_EQUAL_UINT64(2400, leave(&readings, 1).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(2400, leave(&readings, 6001).cwnd_bytes);
}

void test_growth_may_come_first(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");

    readings.exit_growth = FF_SEARCH_EXIT_GROWTH_SLOW_START;
    readings.lower = FF_SEARCH_LOWER_NOTHING;
    TEST_ASSERT_EQUAL_UINT64(51200, leave(&readings, 50000).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, leave(&readings, FF_WINDOW_MAX_BYTES - 1199).cwnd_bytes);
}

void test_the_drain_leaves_ten_datagrams_at_least(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    static const uint64_t bytes[] = {1000, 4001};
    static const uint64_t target[] = {12000, 12003};

    readings.lower = FF_SEARCH_LOWER_DRAIN;
    for (int i = 0; i < 2; i++) {
        struct ff_search *state = ended(&readings, 29);
        fill(&readings, state, 6, 28, bytes[i]);
        state->delivered.counter_bytes += bytes[i];
        struct decision decision = decide(&readings, state, NOW_NS, 77);
        TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, decision.outcome);
        TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << 61, decision.base.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(FF_SSTHRESH_INFINITE, decision.base.ssthresh_bytes);
        TEST_ASSERT_EQUAL_UINT64(target[i], ff_search_target_bytes(&readings, state));
        TEST_ASSERT_EQUAL_UINT64(1200, open_bytes(state));
        decision = decide(&readings, state, NOW_NS, 77);
        TEST_ASSERT_EQUAL_INT(FF_OUTCOME_DRAINED, decision.outcome);
        TEST_ASSERT_EQUAL_UINT64(target[i], decision.base.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(target[i], decision.base.ssthresh_bytes);
        TEST_ASSERT_EQUAL_UINT64(0, state->curr);
        TEST_ASSERT_EQUAL_UINT64(24 * bytes[i] + 2400, state->delivered.counter_bytes);
    }
}
