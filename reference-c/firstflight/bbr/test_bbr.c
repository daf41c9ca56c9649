/* Unit tests of BBR at the limits of the domain: largest rates and products. */
#include "support.h"

/* Return an ACK whose sample has the largest possible rate. */
static struct ff_event largest_rate(uint64_t t_ns)
{
    struct ff_event event = ack_of(t_ns, 1, 1200, 1);

    event.ack.min_rtt_ns = FF_NO_RTT_NS;
    event.ack.rate_delivered_bytes = FF_WINDOW_MAX_BYTES;
    event.ack.rate_interval_ns = 1;
    event.ack.rate_prior_delivered_bytes = FF_WINDOW_MAX_BYTES;
    event.ack.rate_in_flight_bytes = FF_WINDOW_MAX_BYTES;
    event.ack.rate_lost_bytes = FF_WINDOW_MAX_BYTES;
    return event;
}

void test_bbr_begins_in_startup(void)
{
    struct ff_controller controller = controller_of("bbr", "draft-06", 12000);
    struct ff_observation seen = step_ok(&controller, ack_of(2, 1, 1200, 1));

    TEST_ASSERT_EQUAL_INT(FF_PHASE_STARTUP, seen.phase);
    TEST_ASSERT_EQUAL_UINT64(13200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(1, seen.round_count);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.next_release_ns);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.inflight_longterm_bytes);
}

void test_bbr_at_the_largest_rate(void)
{
    struct ff_controller controller = controller_of("bbr", "draft-06", FF_WINDOW_MAX_BYTES);
    struct ff_observation seen = {0};

    for (uint64_t t_ns = 2; t_ns < 12; t_ns++) {
        seen = step_ok(&controller, largest_rate(t_ns));
    }
    TEST_ASSERT_EQUAL_UINT64(10, seen.round_count);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.max_bw_delivered_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.pacing_rate_bytes_per_s);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_PROBE_BW, seen.phase);
}

void test_bbr_in_packets_at_the_largest_rate(void)
{
    struct ff_controller controller = controller_of("bbr", "linux-v1", FF_WINDOW_MAX_BYTES);
    struct ff_observation seen = {0};

    for (uint64_t t_ns = 1000; t_ns < 11000; t_ns += 1000) {
        struct ff_event event = largest_rate(t_ns);
        event.ack.rate_interval_ns = 1000;
        event.ack.min_rtt_ns = 1000;
        seen = step_ok(&controller, event);
    }
    TEST_ASSERT_EQUAL_UINT64(10, seen.round_count);
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(4294967295) * 1200, seen.max_bw_delivered_bytes);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_PROBE_BW, seen.phase);
    TEST_ASSERT_TRUE(seen.ssthresh_bytes < FF_WINDOW_MAX_BYTES);
}
