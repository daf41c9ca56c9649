/* The domain of events. */
#include "support.h"

static void expect(enum ff_status status, struct ff_event event)
{
    TEST_ASSERT_EQUAL_INT(status, ff_event_check(&event));
}

void test_times_lie_between_1_and_2_to_59(void)
{
    expect(FF_ERR_DOMAIN, plain(FF_EVENT_PTO, 0));
    expect(FF_OK, plain(FF_EVENT_PTO, 1));
    expect(FF_OK, plain(FF_EVENT_PTO, FF_TIME_MAX_NS));
    expect(FF_ERR_DOMAIN, plain(FF_EVENT_PTO, FF_TIME_MAX_NS + 1));
}

void test_a_kind_that_does_not_exist_is_refused(void)
{
    expect(FF_ERR_DOMAIN, plain((enum ff_event_kind)17, 1));
}

void test_an_ack_needs_a_run(void)
{
    struct ff_event event = ack_of(2, 1, 1200, 1);

    expect(FF_OK, event);
    event.ack.run_count = 0;
    expect(FF_ERR_DOMAIN, event);
}

void test_a_run_holds_1_to_65535_packets(void)
{
    struct ff_event event = ack_of(2, 65535, 1, 1);

    expect(FF_OK, event);
    expect(FF_ERR_DOMAIN, ack_of(2, 65536, 1, 1));

    event = ack_of(2, 1, 1200, 1);
    support_run.first = 1;
    expect(FF_ERR_DOMAIN, event);
}

void test_a_run_of_2_to_64_packets_does_not_wrap(void)
{
    struct ff_event event = ack_of(2, 1, 1, 1);

    support_run.last = UINT64_MAX;
    event.ack.bytes = 1;
    expect(FF_ERR_DOMAIN, event);
}

void test_the_last_packet_number_is_allowed(void)
{
    struct ff_event event = ack_of(2, 1, 1, 1);

    support_run.first = FF_PACKET_MAX;
    support_run.last = FF_PACKET_MAX;
    expect(FF_OK, event);
    support_run.last = FF_PACKET_MAX + 1;
    event.ack.bytes = 2;
    expect(FF_ERR_DOMAIN, event);
}

void test_sizes_lie_between_1_and_65535(void)
{
    struct ff_event event = ack_of(2, 1, 0, 1);

    expect(FF_ERR_DOMAIN, event);
    expect(FF_OK, ack_of(2, 1, 65535, 1));
    expect(FF_ERR_DOMAIN, ack_of(2, 1, 65536, 1));
}

void test_packets_are_sent_before_they_are_acknowledged(void)
{
    expect(FF_ERR_DOMAIN, ack_of(2, 1, 1200, 0));
    expect(FF_OK, ack_of(2, 1, 1200, 2));

    struct ff_event event = lost_of(2, 1);
    support_run.sent_t_ns = 3;
    expect(FF_ERR_DOMAIN, event);
}

void test_bytes_are_the_sum_over_the_runs(void)
{
    struct ff_event event = ack_of(2, 3, 1200, 1);

    event.ack.bytes = 3599;
    expect(FF_ERR_DOMAIN, event);
    event.ack.bytes = 3601;
    expect(FF_ERR_DOMAIN, event);
    event.ack.bytes = FF_EVENT_MAX_BYTES + 1;
    expect(FF_ERR_DOMAIN, event);
}

void test_an_rtt_is_within_the_domain_or_missing(void)
{
    struct ff_event event = ack_of(2, 1, 1200, 1);

    event.ack.latest_rtt_ns = FF_TIME_MAX_NS;
    event.ack.min_rtt_ns = FF_NO_RTT_NS;
    event.ack.smoothed_rtt_ns = 0;
    expect(FF_OK, event);
    event.ack.latest_rtt_ns = FF_TIME_MAX_NS + 1;
    expect(FF_ERR_DOMAIN, event);
    event.ack.latest_rtt_ns = FF_NO_RTT_NS;
    expect(FF_OK, event);
    event.ack.min_rtt_ns = FF_TIME_MAX_NS + 1;
    expect(FF_ERR_DOMAIN, event);
    event.ack.min_rtt_ns = 0;
    event.ack.smoothed_rtt_ns = FF_NO_RTT_NS - 1;
    expect(FF_ERR_DOMAIN, event);
}

void test_a_marked_packet_was_sent_before_the_mark_came_back(void)
{
    struct ff_event event = plain(FF_EVENT_CE, 5);

    event.ce.sent_t_ns = 0;
    expect(FF_ERR_DOMAIN, event);
    event.ce.sent_t_ns = 5;
    expect(FF_OK, event);
    event.ce.sent_t_ns = 6;
    expect(FF_ERR_DOMAIN, event);
}

void test_sent_and_lost_are_checked_like_ack(void)
{
    struct ff_event event = plain(FF_EVENT_SENT, 5);

    event.sent = (struct ff_sent){.packets = one_run(2, 1200, 5), .run_count = 1, .bytes = 2400};
    expect(FF_OK, event);
    event.sent.bytes = 1200;
    expect(FF_ERR_DOMAIN, event);

    event = lost_of(5, 5);
    expect(FF_OK, event);
    event.lost.bytes = 1199;
    expect(FF_ERR_DOMAIN, event);
}

void test_a_sample_of_an_ack_is_whole_or_not_read(void)
{
    struct ff_event event = ack_of(2, 1, 1200, 1);
    uint64_t *numbers[] = {&event.ack.rate_delivered_bytes, &event.ack.rate_interval_ns, &event.ack.rate_prior_delivered_bytes,
                           &event.ack.rate_in_flight_bytes, &event.ack.rate_lost_bytes};

    for (unsigned there = 0; there < 32; there++) {
        for (unsigned i = 0; i < 5; i++) {
            *numbers[i] = there >> i & 1 ? 1 : FF_NO_SAMPLE;
        }
        expect(there == 31 || !(there & 1) ? FF_OK : FF_ERR_DOMAIN, event);
    }
    *numbers[1] = FF_TIME_MAX_NS + 1;
    expect(FF_ERR_DOMAIN, event);
}

void test_an_empty_event_has_no_sample(void)
{
    struct ff_event ack = ff_event_empty(FF_EVENT_ACK, 1), lost = ff_event_empty(FF_EVENT_LOST, 1);

    TEST_ASSERT_EQUAL_UINT64(FF_NO_SAMPLE, ack.ack.rate_interval_ns);
    TEST_ASSERT_EQUAL_UINT64(FF_NO_SAMPLE, lost.lost.rate_lost_bytes);
    TEST_ASSERT_FALSE(ack.ack.rate_app_limited);
}
