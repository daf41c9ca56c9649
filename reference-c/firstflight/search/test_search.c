/* Tests of SEARCH: counted ACKs, and restarts. */
#include "support_search.h"

void test_an_ack_within_a_bin_is_not_evaluated(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 29);
    struct decision decision = decide(&readings, state, NOW_NS - 1, 20);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decision.outcome);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, decision.evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << 61, decision.base.cwnd_bytes);
}

void test_a_missing_sample_repeats_the_last_one(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 3);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SAME_BIN, decide(&readings, state, NOW_NS - 1, FF_NO_RTT_NS).outcome);
    TEST_ASSERT_EQUAL_UINT64(3, decide(&readings, state, NOW_NS, FF_NO_RTT_NS).evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(11, decide(&readings, state, NOW_NS + 2 * BIN_NS, 77).evaluation.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(11, decide(&readings, state, NOW_NS + 3 * BIN_NS, FF_NO_RTT_NS).evaluation.shift_bins);
    readings.rtt = FF_SEARCH_RTT_MINIMUM;
    TEST_ASSERT_EQUAL_UINT64(3, decide(&readings, state, NOW_NS + 4 * BIN_NS, 20).evaluation.shift_bins);
}

void test_a_missing_sample_may_end_no_bin(void)
{
    struct ff_search_readings readings = readings_of("linux-4");
    struct ff_search *state = ended(&readings, 3);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_NO_RTT_SAMPLE, decide(&readings, state, 5 * MS, FF_NO_RTT_NS).outcome);
    TEST_ASSERT_EQUAL_UINT64(3, state->curr);
    TEST_ASSERT_EQUAL_UINT64(1200, open_bytes(state));
}

static enum ff_outcome app_limited(const struct ff_search_readings *readings, struct ff_search *state, uint64_t rtt_ns)
{
    struct ff_event event = ack_of(NOW_NS, 1, 1200, NOW_NS);
    struct ff_search_evaluation evaluation;
    struct ff_base_state base;

    ff_newreno_begin(&base, 1200, 12000);
    event.ack.app_limited = true;
    event.ack.latest_rtt_ns = rtt_ns;
    return ff_search_on_ack(readings, state, &base, NOW_NS, &event.ack, &evaluation);
}

void test_app_limited_acks_count_as_their_reading_says(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    static const enum ff_outcome outcomes[] = {FF_OUTCOME_WARMING_UP, FF_OUTCOME_APP_LIMITED, FF_OUTCOME_APP_LIMITED,
                                               FF_OUTCOME_RESTARTED};
    static const uint64_t curr[] = {4, 3, 3, 0};
    static const uint64_t bytes[] = {1200, 0, 1200, 1200};

    for (uint8_t reading = 0; reading <= FF_SEARCH_APP_LIMITED_RESTART; reading++) {
        readings.app_limited = reading;
        struct ff_search *state = ended(&readings, 3);
        TEST_ASSERT_EQUAL_INT(outcomes[reading], app_limited(&readings, state, 40));
        TEST_ASSERT_EQUAL_UINT64(curr[reading], state->curr);
        TEST_ASSERT_EQUAL_UINT64(bytes[reading], open_bytes(state));
        TEST_ASSERT_EQUAL_UINT64(BIN_TICKS, state->bin_ticks);
    }
    struct ff_search *state = ended(&readings, 3);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RESTARTED, app_limited(&readings, state, FF_NO_RTT_NS));
    TEST_ASSERT_EQUAL_UINT64(20, state->sample.latest_ns);
}

void test_too_many_missed_bins_start_again(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");

    readings.missed_bins_maximum = 4;
    struct ff_search *state = ended(&readings, 3);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_WARMING_UP, decide(&readings, state, NOW_NS + 3 * BIN_NS, 20).outcome);
    TEST_ASSERT_EQUAL_UINT64(7, state->curr);

    /* Five missed bins: few enough to keep the old duration. Without a sample the last sample, 20 units, is used. */
    static const uint64_t sampled_ticks[] = {280, BIN_TICKS, 0, 280};
    static const uint64_t unsampled_ticks[] = {140, BIN_TICKS, 0, 140};
    static const uint64_t bytes[] = {1200, 1200, 0, 0};
    for (uint8_t restart = 0; restart <= FF_SEARCH_MISSED_BINS_RESTART_NEXT_ACK_THIS_RTT; restart++) {
        readings.missed_bins_restart = restart;
        for (uint8_t counters = 0; counters <= FF_SEARCH_RESTART_COUNTERS_ZEROED; counters++) {
            readings.restart_counters = counters;
            uint64_t before = counters == FF_SEARCH_RESTART_COUNTERS_KEPT ? 5000 : 0;
            state = ended(&readings, 3);
            state->delivered.counter_bytes = 5000;
            TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RESTARTED, decide(&readings, state, NOW_NS + 4 * BIN_NS, 40).outcome);
            TEST_ASSERT_EQUAL_UINT64(sampled_ticks[restart], state->bin_ticks);
            TEST_ASSERT_EQUAL_UINT64(0, state->curr);
            TEST_ASSERT_EQUAL_UINT64(bytes[restart], open_bytes(state));
            TEST_ASSERT_EQUAL_UINT64(before + bytes[restart], state->delivered.counter_bytes);
            state = ended(&readings, 3);
            TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RESTARTED,
                                  decide(&readings, state, NOW_NS + 4 * BIN_NS, FF_NO_RTT_NS).outcome);
            TEST_ASSERT_EQUAL_UINT64(unsampled_ticks[restart], state->bin_ticks);
        }
    }
}

void test_persistent_congestion_restarts_or_not(void)
{
    struct ff_search_readings readings = readings_of("lanman-2024");
    struct ff_search *state = ended(&readings, 3);

    ff_search_on_persistent_congestion(&readings, state);
    TEST_ASSERT_EQUAL_UINT64(0, state->bin_ticks);
    TEST_ASSERT_EQUAL_UINT64(0, state->gate_ns);
    TEST_ASSERT_EQUAL_UINT64(0, state->curr);
    readings.persistent = FF_SEARCH_PERSISTENT_RESUME;
    state = ended(&readings, 3);
    ff_search_on_persistent_congestion(&readings, state);
    TEST_ASSERT_EQUAL_UINT64(3, state->curr);
}

void test_which_phases_count(void)
{
    struct ff_search_readings readings = readings_of("draft-09");
    struct ff_search *state = ended(&readings, 3);
    struct ff_event event = ack_of(NOW_NS, 1, 1200, NOW_NS);

    ff_search_on_ack_elsewhere(&readings, state, &event.ack);
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_search_on_sent(&readings, state, 700, false));
    TEST_ASSERT_EQUAL_UINT64(0, open_bytes(state));
    TEST_ASSERT_EQUAL_UINT64(0, ff_search_more(&readings, state)->sent.counter_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_search_on_sent(&readings, state, 700, true));
    TEST_ASSERT_EQUAL_UINT64(700, ff_search_more(&readings, state)->sent.counter_bytes);
    readings.counted_in = FF_SEARCH_COUNTED_IN_EVERY_PHASE;
    ff_search_on_ack_elsewhere(&readings, state, &event.ack);
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_search_on_sent(&readings, state, 700, false));
    TEST_ASSERT_EQUAL_UINT64(1200, open_bytes(state));
    TEST_ASSERT_EQUAL_UINT64(1400, ff_search_more(&readings, state)->sent.counter_bytes);
}

static uint64_t chance(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (*seed >> 33) % below;
}

/*
 * Process 400 events on a state of exact size and on a state with room for any readings. Both must do the same.
 * AddressSanitizer detects accesses beyond the state of exact size; this test detects reads of bytes that were not
 * written.
 */
static void same_in_both(const struct ff_search_readings *readings, uint64_t seed)
{
    struct ff_search *state = fresh(readings);
    struct ff_search_any room;
    struct ff_search *other = (struct ff_search *)room.words;
    uint64_t t_ns = MS;
    uint64_t rtt_ns = MS * (1 + chance(&seed, 200));

    memset(&room, 0x3C, sizeof room);
    ff_search_begin(readings, other);
    for (int i = 0; i < 400; i++) {
        uint64_t sent = 1 + chance(&seed, 4000000);
        uint64_t now_rtt_ns = chance(&seed, 10) == 0 ? rtt_ns * chance(&seed, 14) : rtt_ns;
        ff_search_on_sent(readings, state, sent, true);
        ff_search_on_sent(readings, other, sent, true);
        t_ns += chance(&seed, 4) == 0 ? rtt_ns * chance(&seed, 40) / 20 : rtt_ns / 3;
        struct decision a = decide_at(readings, state, t_ns, now_rtt_ns, 12000000);
        struct decision b = decide_at(readings, other, t_ns, now_rtt_ns, 12000000);
        TEST_ASSERT_EQUAL_INT(a.outcome, b.outcome);
        TEST_ASSERT_EQUAL_INT(0, memcmp(&a.evaluation, &b.evaluation, sizeof a.evaluation));
        TEST_ASSERT_EQUAL_UINT64(a.base.cwnd_bytes, b.base.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(a.base.ssthresh_bytes, b.base.ssthresh_bytes);
    }
    const uint8_t *bytes = (const uint8_t *)room.words;
    for (size_t i = ff_search_state_bytes(readings); i < sizeof room; i++) {
        TEST_ASSERT_EQUAL_UINT8(0x3C, bytes[i]);
    }
}

void test_nothing_beyond_the_state_is_touched(void)
{
    uint64_t seed = 1;

    for (int i = 0; i < 3000; i++) {
        struct ff_search_readings readings = ff_search_profiles[i % FF_SEARCH_PROFILE_COUNT].readings;
        if (i >= 10 * FF_SEARCH_PROFILE_COUNT) {
            readings.compared = (uint8_t)chance(&seed, 2);
            readings.crossing_credit = (uint8_t)chance(&seed, 2);
            readings.evaluated = (uint8_t)chance(&seed, 2);
            readings.catch_up = (uint8_t)chance(&seed, 2);
            readings.interpolation = (uint8_t)chance(&seed, 3);
            readings.fraction = (uint8_t)chance(&seed, 3);
            readings.shift_maximum_bins = (uint8_t)chance(&seed, 39);
            readings.guard = (uint8_t)chance(&seed, 2);
            readings.windows = (uint8_t)chance(&seed, 3);
            readings.ring = (uint8_t)chance(&seed, 3);
            readings.kept_bins = (uint8_t)(chance(&seed, 4) == 0);
            readings.before_bin_0 = (uint8_t)chance(&seed, 2);
            readings.precision = (uint8_t)chance(&seed, 2);
            readings.rollback = (uint8_t)chance(&seed, 4);
            readings.lower = (uint8_t)chance(&seed, 4);
        }
        same_in_both(&readings, (uint64_t)i);
    }
}
