/* Unit tests of Rapid Start: growth around the queue threshold, the factors and bounds of each profile, and the limits
 * of the domain. */
#include "support.h"

/* Return the growth of a window of 12000 bytes for an ACK of one packet of 1200 bytes with these RTTs. */
static uint64_t added(const char *profile, uint64_t latest_ns, uint64_t min_ns)
{
    struct ff_controller controller = controller_of("rapid-start", profile, 12000);
    struct ff_event event = ack_of(2, 1, 1200, 1);

    event.ack.latest_rtt_ns = latest_ns;
    event.ack.min_rtt_ns = min_ns;
    return step_ok(&controller, event).cwnd_bytes - 12000;
}

/* Return the window after the loss of one packet of 1200 bytes. */
static uint64_t after_loss(const char *profile, uint64_t window_bytes)
{
    struct ff_controller controller = controller_of("rapid-start", profile, window_bytes);

    return step_ok(&controller, lost_of(2, 1)).cwnd_bytes;
}

void test_rapid_start_at_the_border_of_a_queue(void)
{
    TEST_ASSERT_EQUAL_UINT64(2400, added("draft-02", 104 * MS, 100 * MS));
    TEST_ASSERT_EQUAL_UINT64(1200, added("draft-02", 104 * MS + 1, 100 * MS));
    TEST_ASSERT_EQUAL_UINT64(2400, added("draft-02", 33 * MS, 30 * MS));
    TEST_ASSERT_EQUAL_UINT64(1200, added("draft-02", 33 * MS + 1, 30 * MS));
    TEST_ASSERT_EQUAL_UINT64(2400, added("quicly", 350 * MS, 320 * MS));
    TEST_ASSERT_EQUAL_UINT64(1200, added("quicly", 350 * MS + 1, 320 * MS));
}

void test_rapid_start_factors(void)
{
    TEST_ASSERT_EQUAL_UINT64(60000 - 1000, after_loss("draft-02", 72000));
    TEST_ASSERT_EQUAL_UINT64(64800 - 1080, after_loss("draft-02+cubic", 72000));
    TEST_ASSERT_EQUAL_UINT64(58000 - 967, after_loss("draft-00", 72000));
    TEST_ASSERT_EQUAL_UINT64(63600, after_loss("quicly", 72000));
}

void test_rapid_start_at_the_largest_window_and_rtt(void)
{
    const char *const profiles[] = {"draft-02", "draft-02-initial", "draft-00", "quicly", "draft-02+cubic"};

    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct ff_controller controller = controller_of("rapid-start", profiles[i], FF_WINDOW_MAX_BYTES);
        struct ff_event event = ack_of(FF_TIME_MAX_NS, 1, 1200, 1);
        event.ack.latest_rtt_ns = FF_TIME_MAX_NS;
        event.ack.min_rtt_ns = FF_TIME_MAX_NS;
        TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, step_ok(&controller, event).cwnd_bytes);
    }
    /* 2^62 - 1 modulo 6 is 3, and five sixths of 3 are 2.5 */
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES / 6 * 5 + 2 - 1000, after_loss("draft-02", FF_WINDOW_MAX_BYTES));
}
