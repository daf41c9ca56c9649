/* Unit tests of JumpStart: limits of the schedule, the accounting, and events outside the domain. */
#include "firstflight/jumpstart/loss.h"
#include "firstflight/jumpstart/pacing.h"
#include "support.h"

static struct ff_event backlog_of(uint64_t t_ns, uint64_t queued_bytes, uint64_t receive_window_bytes, uint64_t rtt_ns)
{
    struct ff_event event = {.kind = FF_EVENT_BACKLOG, .t_ns = t_ns};

    event.backlog = (struct ff_backlog){queued_bytes, receive_window_bytes, rtt_ns};
    return event;
}

static struct ff_event flight_of(uint64_t t_ns, uint64_t first, uint64_t packets, const struct ff_range *again)
{
    struct ff_event event = {.kind = FF_EVENT_SENT, .t_ns = t_ns};

    (void)one_run(packets, 1200, t_ns);
    support_run.first = first;
    support_run.last = first + packets - 1;
    event.sent = (struct ff_sent){.packets = &support_run,
                                  .run_count = 1,
                                  .bytes = packets * 1200,
                                  .bytes_in_flight = packets * 1200,
                                  .retransmits = again,
                                  .retransmit_count = again != NULL ? 1 : 0};
    return event;
}

void test_jumpstart_release_times_come_from_the_index(void)
{
    struct ff_controller controller = controller_of("jumpstart", "pfldnet-2007", 0);

    (void)step_ok(&controller, backlog_of(1, 7 * 1200, 100000, 100 * MS));
    for (uint64_t packet = 0; packet < 6; packet++) {
        struct ff_observation seen = step_ok(&controller, flight_of(1, packet, 1, NULL));
        TEST_ASSERT_EQUAL_UINT64(1 + (packet + 1) * 100 * MS / 7, seen.next_release_ns);
        TEST_ASSERT_EQUAL_INT(FF_PHASE_JUMP, seen.phase);
    }
    struct ff_observation last = step_ok(&controller, flight_of(1, 6, 1, NULL));
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, last.next_release_ns);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_JUMP_SENT, last.outcome);
}

void test_jumpstart_largest_flight_over_the_longest_rtt(void)
{
    struct ff_controller controller = controller_of("jumpstart", "pfldnet-2007", 0);

    struct ff_observation seen =
        step_ok(&controller, backlog_of(1, FF_WINDOW_MAX_BYTES, FF_WINDOW_MAX_BYTES, FF_TIME_MAX_NS));
    TEST_ASSERT_EQUAL_UINT64(FF_JUMP_MAX_BYTES, seen.cwnd_bytes);
    /* 447393 packets of 1200 bytes; 2^59 - 1 = 447393 * 1288473894398 + 105489. */
    controller.jumpstart.sent_packets = controller.jumpstart.planned_packets - 1;
    uint64_t planned = controller.jumpstart.planned_packets;
    TEST_ASSERT_EQUAL_UINT64(447393, planned);
    uint64_t gap_ns = FF_TIME_MAX_NS / planned;
    uint64_t rest_ns = FF_TIME_MAX_NS % planned;
    TEST_ASSERT_EQUAL_UINT64(1 + gap_ns * (planned - 1) + rest_ns * (planned - 1) / planned,
                             ff_jumpstart_next_release_ns(&controller.jumpstart_readings, &controller.jumpstart, 1200));
}

void test_jumpstart_halves_what_is_left_of_the_flight(void)
{
    static const struct ff_range again = {0, 2};
    struct ff_controller controller = controller_of("jumpstart", "pfldnet-2007", 0);

    (void)step_ok(&controller, backlog_of(1, 20 * 1200, 100000, 100 * MS));
    (void)step_ok(&controller, flight_of(1, 0, 20, NULL));
    (void)step_ok(&controller, lost_of(100 * MS, 1));
    struct ff_observation repaired = step_ok(&controller, flight_of(100 * MS, 20, 3, &again));
    TEST_ASSERT_EQUAL_UINT64(3, repaired.repeated_packets);
    struct ff_event ack = ack_of(200 * MS, 3, 1200, 100 * MS);
    ack.ack.oldest_unacked_packet = 23;
    struct ff_observation seen = step_ok(&controller, ack);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_JUMP_ACCOUNTED, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64((20 - 3) / 2 * 1200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64((20 - 3) / 2 * 1200, seen.ssthresh_bytes);
}

void test_jumpstart_refuses_what_lies_outside_the_domain(void)
{
    static const struct ff_range backwards = {3, 2};
    struct ff_controller controller = controller_of("jumpstart", "quicly", 0);

    step_refused(&controller, backlog_of(1, FF_WINDOW_MAX_BYTES + 1, 0, 1));
    step_refused(&controller, backlog_of(1, 0, FF_WINDOW_MAX_BYTES + 1, 1));
    step_refused(&controller, backlog_of(1, 0, 0, FF_TIME_MAX_NS + 1));
    step_refused(&controller, flight_of(1, FF_PACKET_MAX, 2, NULL));
    step_refused(&controller, flight_of(1, 0, 1, &backwards));
    struct ff_event ack = ack_of(2, 1, 1200, 1);
    ack.ack.oldest_unacked_packet = FF_PACKET_MAX + 2;
    step_refused(&controller, ack);
}

void test_jumpstart_other_algorithms_ignore_its_events(void)
{
    struct ff_controller base = controller_of("slow-start", "rfc-9002", 0);
    struct ff_controller search = controller_of("search", "lanman-2024", 0);

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, step_ok(&base, backlog_of(1, 20000, 20000, 1)).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, step_ok(&base, plain(FF_EVENT_IDLE_RESTART, 1)).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, step_ok(&search, backlog_of(1, 20000, 20000, 1)).outcome);
    struct ff_observation seen = step_ok(&search, plain(FF_EVENT_IDLE_RESTART, 1));
    TEST_ASSERT_EQUAL_UINT64(12000, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_NONE, seen.next_release_ns);
}
