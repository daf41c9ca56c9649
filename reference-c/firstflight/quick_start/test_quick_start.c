/* Unit tests of Quick-Start: the limit of QS-cwnd, a refusal, and the limits of the domain. */
#include "support.h"

static struct ff_observation after_backlog(const char *profile, uint64_t rtt_ns)
{
    struct ff_controller controller = controller_of("quick-start", profile, 12000);
    struct ff_event event = {.kind = FF_EVENT_BACKLOG, .t_ns = 1, .backlog = {1000000, 1000000, rtt_ns}};

    return step_ok(&controller, event);
}

void test_quick_start_at_the_border(void)
{
    /* Packets of 1240 bytes take 1937500 ns at 5.12 Mbit/s; the window has ten packets. */
    TEST_ASSERT_EQUAL_UINT64(12000, after_backlog("rfc-4782", UINT64_C(11) * 1937500 - 1).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(13200, after_backlog("rfc-4782", UINT64_C(11) * 1937500).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(11, after_backlog("ns-2", UINT64_C(11) * 1937500).planned_packets);
}

void test_quick_start_refused(void)
{
    struct ff_observation seen = after_backlog("rfc-4782-refused", UINT64_C(600000000));

    TEST_ASSERT_EQUAL_UINT64(12000, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.next_release_ns);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_QUICK_START_REFUSED, seen.outcome);
}

void test_quick_start_at_the_longest_rtt(void)
{
    struct ff_observation seen = after_backlog("rfc-4782", FF_TIME_MAX_NS);

    TEST_ASSERT_EQUAL_UINT64(FF_JUMP_MAX_BYTES / 1200 * 1200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_QUICK_START, seen.phase);
}
