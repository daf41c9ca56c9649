/* Unit tests of SUSS: the limits of the domain, with the largest counters and products. */
#include "support.h"

void test_suss_begins_clocked(void)
{
    struct ff_controller controller = controller_of("suss", "linux-6-8", 12000);
    struct ff_observation seen = step_ok(&controller, ack_of(2, 1, 1200, 1));

    TEST_ASSERT_EQUAL_UINT64(13200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(1, seen.suss_mode);
    TEST_ASSERT_EQUAL_UINT64(2, seen.suss_round);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.next_release_ns);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.cap_bytes);
}

void test_suss_at_the_largest_window(void)
{
    const char *const profiles[] = {"linux-6-8", "linux-5-19", "linux-6-8+cubic"};

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct ff_controller controller = controller_of("suss", profiles[i], FF_WINDOW_MAX_BYTES);
        TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, step_ok(&controller, ack_of(2, 1, 1200, 1)).cwnd_bytes);
    }
}

void test_suss_rounds_end_at_31(void)
{
    struct ff_controller controller = controller_of("suss", "linux-6-8", 12000);
    struct ff_observation seen = {0};

    for (uint64_t ack = 0; ack < 40; ack++) {
        seen = step_ok(&controller, ack_of(2 + ack, 1, 1200, 1));
    }
    TEST_ASSERT_EQUAL_UINT64(31, seen.suss_round);
    TEST_ASSERT_EQUAL_UINT64(0, seen.jumps);
}
