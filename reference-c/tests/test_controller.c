/* Whole controllers. */
#include "support.h"

void test_profiles_are_found_by_name(void)
{
    static const char *const known[][2] = {
        {"slow-start", "rfc-9002"}, {"search", "lanman-2024-literal"}, {"search", "picoquic-fork"}};
    static const char *const unknown[][2] = {{"slow-start", "lanman-2024"}, {"search", "rfc-9002"}, {"search", ""},
                                             {"", ""},                      {"search", "lanman-2024-"},
                                             {"slow-start", "rfc-9002 "},   {"Search", "lanman-2024"}};
    const struct ff_config config = {1200, 0};
    struct ff_controller controller;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, known[i][0], known[i][1], &config));
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE,
                              ff_controller_init(&controller, unknown[i][0], unknown[i][1], &config));
    }
}

void test_a_configuration_out_of_range_is_refused(void)
{
    static const struct ff_config refused[] = {{0, 0}, {65536, 0}, {1200, FF_WINDOW_MAX_BYTES + 1}};
    static const struct ff_config accepted[] = {{1, 0}, {65535, 1}, {1200, FF_WINDOW_MAX_BYTES}};
    struct ff_controller controller;
    struct ff_controller before;

    memset(&controller, 0x5A, sizeof controller);
    memcpy(&before, &controller, sizeof before);
    for (size_t i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_controller_init(&controller, "search", "lanman-2024", &refused[i]));
        TEST_ASSERT_EQUAL_INT(0, memcmp(&before, &controller, sizeof before));
    }
    for (size_t i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, "search", "lanman-2024", &accepted[i]));
    }
}

void test_readings_out_of_range_are_refused(void)
{
    const struct ff_config config = {1200, 0};
    struct ff_search_readings readings = ff_search_profiles[0].readings;
    struct ff_controller controller;

    readings.shift_maximum_bins = FF_SEARCH_SHIFT_MAXIMUM_BINS;
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init_search(&controller, &readings, &config));
    readings.shift_maximum_bins++;
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_controller_init_search(&controller, &readings, &config));
}

void test_a_controller_without_algorithm_is_refused(void)
{
    struct ff_controller controller = controller_of("slow-start", "rfc-9002", 0);

    controller.algorithm = (enum ff_algorithm)99;
    step_refused(&controller, plain(FF_EVENT_PTO, 10));
}

void test_numbers_of_packets_are_used_once(void)
{
    struct ff_controller controller = controller_of("jumpstart", "pfldnet-2007", 0);

    step_ok(&controller, sent_of(10, 4, 1200));
    step_refused(&controller, sent_of(20, 4, 1200));
    TEST_ASSERT_EQUAL_UINT64(4, controller.next_packet);
}

void test_time_does_not_run_backwards(void)
{
    struct ff_controller controller = controller_of("slow-start", "rfc-9002", 0);

    step_ok(&controller, plain(FF_EVENT_PTO, 10));
    step_ok(&controller, plain(FF_EVENT_PTO, 10));
    step_refused(&controller, plain(FF_EVENT_PTO, 9));
    step_refused(&controller, plain(FF_EVENT_PTO, 0));
}

void test_a_refused_event_changes_nothing(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024", 0);
    struct ff_event event = ack_of(200 * MS, 2, 1200, 100 * MS);

    step_ok(&controller, event);
    ff_controller_search(&controller)->delivered.counter_bytes = FF_BIN_MAX_BYTES;
    step_refused(&controller, ack_of(201 * MS, 2, 1200, 101 * MS));
    event = ack_of(202 * MS, 2, 1200, 102 * MS);
    event.ack.bytes++;
    step_refused(&controller, event);
}

static void both_entry_points(struct ff_controller *checked, struct ff_controller *trusted, struct ff_event event)
{
    struct ff_observation seen[2];

    memset(seen, 0, sizeof seen);
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_step(checked, &event, &seen[0]));
    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_process(trusted, &event, &seen[1]));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&seen[0], &seen[1], sizeof seen[0]));
    TEST_ASSERT_EQUAL_INT(0, memcmp(checked, trusted, sizeof *checked));
}

void test_both_entry_points_do_the_same(void)
{
    struct ff_controller checked = controller_of("search", "linux-4", 0);
    struct ff_controller trusted = checked;

    both_entry_points(&checked, &trusted, sent_of(100 * MS, 3, 1200));
    both_entry_points(&checked, &trusted, ack_of(200 * MS, 3, 1200, 100 * MS));
    both_entry_points(&checked, &trusted, lost_of(201 * MS, 101 * MS));
    both_entry_points(&checked, &trusted, plain(FF_EVENT_PERSISTENT_CONGESTION, 202 * MS));
}

void test_bytes_beyond_the_bound_of_sent_bytes_and_of_other_phases_are_refused(void)
{
    struct ff_controller controller = controller_of("search", "linux-4", 0);
    struct ff_search *search = ff_controller_search(&controller);

    ff_search_more(&controller.search_readings, search)->sent.counter_bytes = FF_BIN_MAX_BYTES - 1199;
    step_refused(&controller, sent_of(200 * MS, 1, 1200));
    step_ok(&controller, sent_of(200 * MS, 1, 1199));
    step_ok(&controller, lost_of(201 * MS, 101 * MS));
    search->delivered.counter_bytes = FF_BIN_MAX_BYTES - 1199;
    step_refused(&controller, ack_of(202 * MS, 1, 1200, 102 * MS));
    step_ok(&controller, ack_of(202 * MS, 1, 1199, 102 * MS));
    TEST_ASSERT_EQUAL_UINT64(FF_BIN_MAX_BYTES, search->delivered.counter_bytes);
}

void test_observations_of_slow_start(void)
{
    struct ff_controller controller = controller_of("slow-start", "rfc-9002", 0);
    struct ff_observation seen = step_ok(&controller, ack_of(200 * MS, 2, 1200, 100 * MS));

    TEST_ASSERT_EQUAL_UINT64(14400, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_SSTHRESH_INFINITE, seen.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.recovery_start_ns);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.bin);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.open_bin_bytes);
    seen = step_ok(&controller, lost_of(201 * MS, 101 * MS));
    TEST_ASSERT_EQUAL_UINT64(201 * MS, seen.recovery_start_ns);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_RECOVERY, seen.phase);
}

void test_observations_of_search(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024", 0);
    struct ff_observation seen = step_ok(&controller, ack_of(200 * MS, 2, 1200, 100 * MS));

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(14400, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(0, seen.bin);
    TEST_ASSERT_EQUAL_UINT64(2400, seen.open_bin_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.shift_bins);
    seen = step_ok(&controller, ack_of(236 * MS, 1, 1200, 136 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_WARMING_UP, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(1, seen.bin);
    TEST_ASSERT_EQUAL_UINT64(3, seen.shift_bins);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.recovery_start_ns);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.target_bytes);
}

void test_search_rests_outside_slow_start(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024", 0);

    step_ok(&controller, ack_of(200 * MS, 2, 1200, 100 * MS));
    step_ok(&controller, lost_of(201 * MS, 101 * MS));
    struct ff_observation seen = step_ok(&controller, ack_of(900 * MS, 2, 1200, 800 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN_AVOIDANCE, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(0, seen.bin);
    TEST_ASSERT_EQUAL_UINT64(2400, seen.open_bin_bytes);
}

/*
 * Ten packets in every bin, and twenty sent: the window lags behind nothing, and norm_diff is 1/2 as soon as it is tested.
 */
static struct ff_observation until_exit(struct ff_controller *controller)
{
    struct ff_observation seen = step_ok(controller, ack_of(200 * MS, 10, 1200, 100 * MS));

    for (uint64_t bin = 1; bin < 40 && seen.outcome != FF_OUTCOME_EXITED; bin++) {
        uint64_t t_ns = (200 + 35 * bin) * MS + 1;
        struct ff_event sent = sent_of(t_ns, 20, 1200);
        support_run.first += controller->next_packet;
        support_run.last += controller->next_packet;
        step_ok(controller, sent);
        seen = step_ok(controller, ack_of(t_ns, 10, 1200, t_ns - 100 * MS));
    }
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, seen.outcome);
    return seen;
}

void test_the_exiting_ack_does_not_grow_the_window(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024", 0);
    struct ff_observation seen = until_exit(&controller);

    /* Shift 3 and prev > 10: bin 14. 14 ACKs grew 12000 by 12000 each; six bins and the empty open one roll back. */
    TEST_ASSERT_EQUAL_UINT64(14, seen.bin);
    TEST_ASSERT_EQUAL_UINT64(15 * 12000 - 6 * 12000, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(seen.cwnd_bytes, seen.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_CONGESTION_AVOIDANCE, seen.phase);
    TEST_ASSERT_EQUAL_UINT64(12000, seen.open_bin_bytes);
}

void test_the_exiting_ack_grows_the_window_as_in_avoidance(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024-literal", 0);
    struct ff_observation seen = until_exit(&controller);

    /* Shift 2 and prev >= 10: bin 12. 12 ACKs grew the window; five bins roll back, and ten packets then grow it. */
    TEST_ASSERT_EQUAL_UINT64(12, seen.bin);
    TEST_ASSERT_EQUAL_UINT64(13 * 12000 - 5 * 12000, seen.ssthresh_bytes);
    TEST_ASSERT_TRUE(seen.cwnd_bytes > seen.ssthresh_bytes);
}

void test_the_exit_drains_to_what_three_bins_delivered(void)
{
    struct ff_controller controller = controller_of("search", "linux-4", 0);
    struct ff_observation seen = until_exit(&controller);
    struct ff_event event = ack_of(3000 * MS, 7, 1200, 2900 * MS);

    TEST_ASSERT_EQUAL_UINT64(36000, seen.target_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_SLOW_START, seen.phase);
    uint64_t cwnd_bytes = seen.cwnd_bytes;
    event.ack.bytes_in_flight = 50000;
    seen = step_ok(&controller, event);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_DRAINING, seen.outcome);
    TEST_ASSERT_TRUE(seen.cwnd_bytes < cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(50000 + 2 * 1200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_SSTHRESH_INFINITE, seen.ssthresh_bytes);
    event = ack_of(3001 * MS, 2, 1200, 2901 * MS);
    event.ack.bytes_in_flight = 34801;
    seen = step_ok(&controller, event); /* the seventh packet and these two are three */
    TEST_ASSERT_EQUAL_UINT64(36001, seen.cwnd_bytes);
    event.ack.bytes_in_flight = UINT64_MAX;
    seen = step_ok(&controller, event);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.cwnd_bytes);
    event.ack.bytes_in_flight = 34800;
    seen = step_ok(&controller, event);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_DRAINED, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(36000 + 40 + 39, seen.cwnd_bytes); /* two packets in congestion avoidance */
    TEST_ASSERT_EQUAL_UINT64(36000, seen.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_CONGESTION_AVOIDANCE, seen.phase);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.target_bytes);
    TEST_ASSERT_EQUAL_UINT64(0, seen.bin);
}

void test_persistent_congestion_restarts_search(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024", 0);

    until_exit(&controller);
    struct ff_observation seen = step_ok(&controller, plain(FF_EVENT_PERSISTENT_CONGESTION, 2000 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_COLLAPSED, seen.outcome);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_SLOW_START, seen.phase);
    TEST_ASSERT_EQUAL_UINT64(0, seen.bin);
    seen = step_ok(&controller, ack_of(2100 * MS, 1, 1200, 2000 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_STARTED, seen.outcome);
}

void test_names_are_those_of_the_vectors(void)
{
    TEST_ASSERT_EQUAL_STRING("slow_start", ff_phase_name(FF_PHASE_SLOW_START));
    TEST_ASSERT_EQUAL_STRING("congestion_avoidance", ff_phase_name(FF_PHASE_CONGESTION_AVOIDANCE));
    TEST_ASSERT_EQUAL_STRING("jump", ff_phase_name(FF_PHASE_JUMP));
    TEST_ASSERT_NULL(ff_phase_name((enum ff_phase)99));
    TEST_ASSERT_EQUAL_STRING("sent", ff_outcome_name(FF_OUTCOME_SENT));
    TEST_ASSERT_EQUAL_STRING("exited", ff_outcome_name(FF_OUTCOME_EXITED));
    TEST_ASSERT_EQUAL_STRING("drained", ff_outcome_name(FF_OUTCOME_DRAINED));
    TEST_ASSERT_NULL(ff_outcome_name((enum ff_outcome)999));
}
