/* Unit tests of Hybla: rho and its bounds, the table, and the limits of the domain. */
#include "support.h"

/* Return an ACK of one packet of 1200 bytes with this RTT. */
static struct ff_event ack_after(uint64_t rtt_ns)
{
    struct ff_event event = ack_of(2, 1, 1200, 1);

    event.ack.latest_rtt_ns = rtt_ns;
    event.ack.min_rtt_ns = rtt_ns;
    event.ack.smoothed_rtt_ns = rtt_ns;
    return event;
}

static struct ff_observation after_one(const char *profile, uint64_t window_bytes, uint64_t rtt_ns)
{
    struct ff_controller controller = controller_of("hybla", profile, window_bytes);

    return step_ok(&controller, ack_after(rtt_ns));
}

void test_hybla_adds_a_power_of_two_less_one(void)
{
    TEST_ASSERT_EQUAL_UINT64(12000 + 15 * 1200, after_one("linux", 12000, 100 * MS).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(12000 + 3 * 1200, after_one("ns-3", 12000, 100 * MS).cwnd_bytes);
}

void test_hybla_rho_is_bounded(void)
{
    TEST_ASSERT_EQUAL_UINT64(65536, after_one("linux", 12000, 0).rho_fixed);
    TEST_ASSERT_EQUAL_UINT64(65536, after_one("ns-3", 12000, 1).rho_fixed);
    TEST_ASSERT_EQUAL_UINT64(256 * 65536 - 8192, after_one("linux", 12000, FF_TIME_MAX_NS).rho_fixed);
    /* One millisecond less than 256 reference RTTs of 50 ms. */
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(12799) * 65536 / 50, after_one("ns-3", 12000, FF_TIME_MAX_NS).rho_fixed);
}

void test_hybla_at_the_largest_window(void)
{
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, after_one("ns-3", FF_WINDOW_MAX_BYTES, 600 * MS).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(65535) * 1200, after_one("linux", 12000, 600 * MS).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, after_one("linux", FF_WINDOW_MAX_BYTES, 600 * MS).cwnd_bytes);
}

void test_hybla_below_search(void)
{
    struct ff_controller controller = controller_of("search", "lanman-2024+hybla", 12000);

    TEST_ASSERT_EQUAL_INT(FF_BASE_HYBLA, controller.base.base);
    TEST_ASSERT_EQUAL_UINT64(12000 + 15 * 1200, step_ok(&controller, ack_after(100 * MS)).cwnd_bytes);
}

void test_hybla_below_no_other(void)
{
    const struct ff_config config = {1200, 12000};
    struct ff_controller controller;

    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_controller_init(&controller, "hystartpp", "rfc-9406+hybla", &config));
    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_controller_init(&controller, "hybla", "linux+cubic", &config));
    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_controller_init(&controller, "search", "lanman-2024+hybl", &config));
}
