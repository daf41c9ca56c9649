/* The base controller. */
#include "support.h"

static struct ff_base_state fresh(uint64_t initial_window_bytes)
{
    struct ff_base_state state;

    ff_newreno_begin(&state, 1200, initial_window_bytes);
    return state;
}

static enum ff_outcome acked(struct ff_base_state *state, uint64_t packets, uint64_t sent_t_ns)
{
    struct ff_event event = ack_of(FF_TIME_MAX_NS, packets, 1200, sent_t_ns);

    return ff_newreno_on_ack(state, event.t_ns, &event.ack);
}

static enum ff_outcome lost(struct ff_base_state *state, uint64_t t_ns, uint64_t sent_t_ns)
{
    struct ff_event event = lost_of(t_ns, sent_t_ns);

    return ff_newreno_on_lost(state, t_ns, &event.lost);
}

void test_the_recommended_initial_window(void)
{
    TEST_ASSERT_EQUAL_UINT64(10, ff_newreno_recommended_initial_window_bytes(1));
    TEST_ASSERT_EQUAL_UINT64(12000, ff_newreno_recommended_initial_window_bytes(1200));
    TEST_ASSERT_EQUAL_UINT64(14720, ff_newreno_recommended_initial_window_bytes(1472));
    TEST_ASSERT_EQUAL_UINT64(14720, ff_newreno_recommended_initial_window_bytes(1473));
    TEST_ASSERT_EQUAL_UINT64(14720, ff_newreno_recommended_initial_window_bytes(7360));
    TEST_ASSERT_EQUAL_UINT64(14722, ff_newreno_recommended_initial_window_bytes(7361));
    TEST_ASSERT_EQUAL_UINT64(131070, ff_newreno_recommended_initial_window_bytes(65535));
}

void test_a_connection_begins_in_slow_start(void)
{
    struct ff_base_state state = fresh(0);

    TEST_ASSERT_EQUAL_UINT64(12000, state.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_SSTHRESH_INFINITE, state.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_SLOW_START, ff_newreno_phase(&state));
    TEST_ASSERT_EQUAL_UINT64(1, fresh(1).cwnd_bytes);
}

void test_slow_start_grows_by_the_bytes(void)
{
    struct ff_base_state state = fresh(12000);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, acked(&state, 2, 1));
    TEST_ASSERT_EQUAL_UINT64(14400, state.cwnd_bytes);
}

void test_the_packet_that_reaches_the_threshold_counts_in_full(void)
{
    struct ff_base_state state = fresh(12000);

    state.ssthresh_bytes = 13201;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, acked(&state, 2, 1));
    TEST_ASSERT_EQUAL_UINT64(14400, state.cwnd_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_CONGESTION_AVOIDANCE, ff_newreno_phase(&state));
}

void test_the_rest_of_a_run_grows_as_in_avoidance(void)
{
    struct ff_base_state state = fresh(12000);

    state.ssthresh_bytes = 13200;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN_AVOIDANCE, acked(&state, 3, 1));
    /* 13200 at the threshold, then 1200 * 1200 / 13200 = 109 and 1200 * 1200 / 13309 = 108. */
    TEST_ASSERT_EQUAL_UINT64(13417, state.cwnd_bytes);
}

void test_avoidance_drops_the_remainder_of_each_packet(void)
{
    struct ff_base_state state = fresh(1440001);

    state.ssthresh_bytes = 1440001;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN_AVOIDANCE, acked(&state, 65535, 1));
    TEST_ASSERT_EQUAL_UINT64(1440001, state.cwnd_bytes);

    state = fresh(1440000);
    state.ssthresh_bytes = 1440000;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN_AVOIDANCE, acked(&state, 65535, 1));
    TEST_ASSERT_EQUAL_UINT64(1440001, state.cwnd_bytes);
}

void test_avoidance_from_an_empty_window(void)
{
    struct ff_base_state state = fresh(12000);

    state.cwnd_bytes = 0;
    state.ssthresh_bytes = 0;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN_AVOIDANCE, acked(&state, 1, 1));
    TEST_ASSERT_EQUAL_UINT64(0, state.cwnd_bytes);
}

void test_growth_saturates(void)
{
    struct ff_base_state state = fresh(FF_WINDOW_MAX_BYTES - 1200);

    acked(&state, 1, 1);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, state.cwnd_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, acked(&state, 65535, 1));
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, state.cwnd_bytes);
}

void test_app_limited_ends_recovery_but_grows_nothing(void)
{
    struct ff_base_state state = fresh(12000);
    struct ff_event event = ack_of(20, 1, 1200, 11);

    lost(&state, 10, 5);
    event.ack.app_limited = true;
    event.ack.packets = one_run(1, 1200, 10);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_APP_LIMITED, ff_newreno_on_ack(&state, event.t_ns, &event.ack));
    TEST_ASSERT_EQUAL_INT(FF_PHASE_RECOVERY, ff_newreno_phase(&state));
    event.ack.packets = one_run(1, 1200, 11);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_APP_LIMITED, ff_newreno_on_ack(&state, event.t_ns, &event.ack));
    TEST_ASSERT_EQUAL_INT(FF_PHASE_CONGESTION_AVOIDANCE, ff_newreno_phase(&state));
    TEST_ASSERT_EQUAL_UINT64(6000, state.cwnd_bytes);
}

void test_recovery_once_per_period(void)
{
    struct ff_base_state state = fresh(12001);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_REDUCED, lost(&state, 10, 5));
    TEST_ASSERT_EQUAL_UINT64(6000, state.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(6000, state.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_ALREADY_REDUCED, lost(&state, 11, 10));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_IN_RECOVERY, acked(&state, 1, 10));
    TEST_ASSERT_EQUAL_INT(FF_PHASE_RECOVERY, ff_newreno_phase(&state));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_REDUCED, lost(&state, 12, 11));
    TEST_ASSERT_EQUAL_UINT64(3000, state.cwnd_bytes);
}

void test_recovery_ends_with_a_packet_sent_after_its_start(void)
{
    struct ff_base_state state = fresh(12000);

    lost(&state, 10, 5);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN_AVOIDANCE, acked(&state, 1, 11));
    TEST_ASSERT_EQUAL_UINT64(6240, state.cwnd_bytes);
    /* The period is over, but packets from before its start still do not count. */
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_IN_RECOVERY, acked(&state, 1, 10));
}

void test_the_latest_of_the_lost_packets_decides(void)
{
    struct ff_base_state state = fresh(12000);
    const struct ff_run runs[] = {{0, 0, 1200, 11}, {1, 1, 1200, 3}};
    const struct ff_lost event = {.packets = runs, .run_count = 2, .bytes = 2400};

    lost(&state, 10, 5);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_REDUCED, ff_newreno_on_lost(&state, 12, &event));
}

void test_the_window_keeps_two_datagrams_and_the_threshold_does_not(void)
{
    struct ff_base_state state = fresh(3000);

    lost(&state, 10, 5);
    TEST_ASSERT_EQUAL_UINT64(2400, state.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(1500, state.ssthresh_bytes);
}

void test_a_mark_counts_as_a_loss(void)
{
    struct ff_base_state state = fresh(12000);
    const struct ff_ce ce = {7, 5, 1};

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_REDUCED, ff_newreno_on_ce(&state, 10, &ce));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_ALREADY_REDUCED, ff_newreno_on_ce(&state, 11, &ce));
    TEST_ASSERT_EQUAL_UINT64(6000, state.cwnd_bytes);
}

void test_persistent_congestion_forgets_the_period_and_keeps_the_threshold(void)
{
    struct ff_base_state state = fresh(12000);

    lost(&state, 10, 5);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_COLLAPSED, ff_newreno_on_persistent_congestion(&state));
    TEST_ASSERT_EQUAL_UINT64(2400, state.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(6000, state.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_SLOW_START, ff_newreno_phase(&state));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, acked(&state, 1, 9));
}

void test_sending_probe_timers_and_idle_periods_change_nothing(void)
{
    struct ff_base_state state = fresh(12000);
    const struct ff_run run = {0, 9, 1200, 1};
    const struct ff_sent sent = {.packets = &run, .run_count = 1, .bytes = 12000, .bytes_in_flight = 12000};

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_SENT, ff_newreno_on_sent(&state, 1, &sent));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, ff_newreno_on_pto(&state));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, ff_newreno_on_idle_restart(&state));
    TEST_ASSERT_EQUAL_UINT64(12000, state.cwnd_bytes);
}
