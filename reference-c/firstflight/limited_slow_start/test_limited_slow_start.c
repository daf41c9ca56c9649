/* Unit tests of Limited Slow-Start: growth around max_ssthresh, the rounding of each profile, and the limits of the
 * domain. */
#include "support.h"

/* Return the window after one ACK of one packet of 1200 bytes. */
static uint64_t after_one(const char *profile, uint64_t window_bytes)
{
    struct ff_controller controller = controller_of("limited-slow-start", profile, window_bytes);

    return step_ok(&controller, ack_of(2, 1, 1200, 1)).cwnd_bytes;
}

void test_limited_at_the_border(void)
{
    TEST_ASSERT_EQUAL_UINT64(120000 + 1200, after_one("rfc-3742", 120000));
    TEST_ASSERT_EQUAL_UINT64(120001 + 600, after_one("rfc-3742", 120001));
    TEST_ASSERT_EQUAL_UINT64(180000 + 400, after_one("rfc-3742-packets", 180000));
}

void test_limited_tor_rounds_to_the_nearest(void)
{
    /* 1200 * 60000 / 128000 = 562.5 */
    TEST_ASSERT_EQUAL_UINT64(128000 + 563, after_one("tor", 128000));
    TEST_ASSERT_EQUAL_UINT64(128000 + 600, after_one("rfc-3742", 128000));
}

void test_limited_linux_gains_a_datagram_where_the_sum_reaches_the_window(void)
{
    struct ff_controller controller = controller_of("limited-slow-start", "linux", 120001);

    for (uint64_t ack = 1; ack < 3; ack++) {
        struct ff_observation seen = step_ok(&controller, ack_of(2, 1, 1200, 1));
        TEST_ASSERT_EQUAL_UINT64(120001, seen.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(60000 * ack, seen.credit_bytes);
    }
    struct ff_observation third = step_ok(&controller, ack_of(2, 1, 1200, 1));
    TEST_ASSERT_EQUAL_UINT64(121201, third.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(180000 - 120001, third.credit_bytes);
}

void test_limited_at_the_largest_window(void)
{
    const char *const profiles[] = {"rfc-3742", "rfc-3742-packets", "linux", "tor", "rfc-3742+cubic"};

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, after_one(profiles[i], FF_WINDOW_MAX_BYTES));
    }
}
