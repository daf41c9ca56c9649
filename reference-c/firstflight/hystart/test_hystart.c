/* Unit tests of HyStart++ and HyStart: the deciding ACK, limits of thresholds, and the limits of the domain. */
#include "support.h"

/* Packets first..last, sent rtt_ns ago; `next` is the next packet number. */
static struct ff_event frame_of(uint64_t t_ns, uint64_t first, uint64_t last, uint64_t next, uint64_t rtt_ns)
{
    struct ff_event event = ack_of(t_ns, last - first + 1, 1200, t_ns);

    support_run.first = first;
    support_run.last = last;
    event.ack.next_packet = next;
    event.ack.latest_rtt_ns = rtt_ns;
    return event;
}

/* Run a round of `packets` ACKs from `first` on; return the observation of the last ACK. */
static struct ff_observation round_of(struct ff_controller *controller, uint64_t first, uint64_t packets, uint64_t rtt_ns)
{
    struct ff_observation seen;
    uint64_t end = first + packets;

    for (uint64_t packet = first; packet < end; packet++) {
        seen = step_ok(controller, frame_of(1, packet, packet, end, rtt_ns));
    }
    return seen;
}

void test_hystartpp_begins_css_after_the_eighth_sample(void)
{
    struct ff_controller controller = controller_of("hystartpp", "rfc-9406", 12000);

    (void)round_of(&controller, 0, 10, 100 * MS);
    (void)round_of(&controller, 10, 20, 100 * MS);
    for (uint64_t packet = 30; packet < 37; packet++) {
        struct ff_observation seen = step_ok(&controller, frame_of(1, packet, packet, 70, 130 * MS));
        TEST_ASSERT_EQUAL_INT(FF_PHASE_SLOW_START, seen.phase);
    }
    struct ff_observation eighth = step_ok(&controller, frame_of(1, 37, 37, 70, 130 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_CONSERVATIVE_BEGUN, eighth.outcome);
    TEST_ASSERT_EQUAL_UINT64(57600, eighth.cwnd_bytes);
    struct ff_observation first = step_ok(&controller, frame_of(1, 38, 38, 70, 130 * MS));
    TEST_ASSERT_EQUAL_INT(FF_PHASE_CONSERVATIVE_SLOW_START, first.phase);
    TEST_ASSERT_EQUAL_UINT64(57900, first.cwnd_bytes);
}

void test_hystartpp_leaves_css_after_five_rounds(void)
{
    struct ff_controller controller = controller_of("hystartpp", "rfc-9406", 12000);

    (void)round_of(&controller, 0, 8, 100 * MS);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_CONSERVATIVE_BEGUN, round_of(&controller, 8, 8, 130 * MS).outcome);
    for (uint64_t round = 0; round < 4; round++) {
        struct ff_observation seen = round_of(&controller, 16 + 8 * round, 8, 130 * MS);
        TEST_ASSERT_EQUAL_UINT64(round + 1, seen.css_rounds);
        TEST_ASSERT_EQUAL_UINT64(FF_SSTHRESH_INFINITE, seen.ssthresh_bytes);
    }
    struct ff_observation seen = step_ok(&controller, frame_of(1, 48, 48, 60, 130 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(12000 + 16 * 1200 + 33 * 300, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(seen.cwnd_bytes, seen.ssthresh_bytes);
}

void test_hystartpp_threshold_at_the_longest_rtt(void)
{
    struct ff_controller controller = controller_of("hystartpp", "rfc-9406", 12000);
    struct ff_controller below;

    (void)round_of(&controller, 0, 8, FF_TIME_MAX_NS - 16 * MS);
    below = controller;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_CONSERVATIVE_BEGUN, round_of(&controller, 8, 8, FF_TIME_MAX_NS).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, round_of(&below, 8, 8, FF_TIME_MAX_NS - 1).outcome);
}

void test_hystartpp_limit_and_saturation(void)
{
    struct ff_controller unpaced = controller_of("hystartpp", "rfc-9406-unpaced", 12000);
    struct ff_controller full = controller_of("hystartpp", "rfc-9406", FF_WINDOW_MAX_BYTES - 1);

    TEST_ASSERT_EQUAL_UINT64(12000 + 8 * 1200, step_ok(&unpaced, frame_of(1, 0, 9, 10, MS)).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, step_ok(&full, frame_of(1, 0, 9, 10, MS)).cwnd_bytes);
}

void test_hystart_compares_at_the_ninth_sample(void)
{
    struct ff_controller controller = controller_of("hystart", "linux", 24000);

    (void)round_of(&controller, 0, 20, 100 * MS);
    for (uint64_t packet = 20; packet < 28; packet++) {
        struct ff_observation seen = step_ok(&controller, frame_of(1, packet, packet, 60, 112501000));
        TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, seen.outcome);
    }
    struct ff_controller other = controller;
    struct ff_observation ninth = step_ok(&controller, frame_of(1, 28, 28, 60, 112501000));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED_BY_DELAY, ninth.outcome);
    TEST_ASSERT_EQUAL_UINT64(24000 + 28 * 1200, ninth.ssthresh_bytes);
    /* 112.5 ms is the threshold itself */
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, step_ok(&other, frame_of(1, 28, 28, 60, 112500999)).outcome);
}

void test_hystart_google_quic_compares_at_the_eighth(void)
{
    struct ff_controller controller = controller_of("hystart", "google-quic", 24000);

    (void)round_of(&controller, 0, 20, 100 * MS);
    /* packet 20 still belongs to the first round */
    (void)step_ok(&controller, frame_of(1, 20, 20, 40, 100 * MS));
    struct ff_observation seen = round_of(&controller, 21, 8, 130 * MS);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED_BY_DELAY, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(24000 + 28 * 1200, seen.ssthresh_bytes);
}

void test_hystart_trains_by_the_microsecond(void)
{
    struct ff_controller controller = controller_of("hystart", "linux", 24000);
    uint64_t t_ns = 1000 * MS;

    /* (3 ms + 1 ms) / 2 = 2 ms: more than that ends slow start */
    (void)step_ok(&controller, frame_of(t_ns, 0, 0, 20, 3 * MS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_GROWN, step_ok(&controller, frame_of(t_ns + 2000999, 1, 1, 20, 3 * MS)).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_EXITED_BY_TRAIN,
                          step_ok(&controller, frame_of(t_ns + 2001000, 2, 2, 20, 3 * MS)).outcome);
}

void test_hystart_refuses_what_is_outside_the_domain(void)
{
    struct ff_controller controller = controller_of("hystart", "linux", 12000);

    step_refused(&controller, frame_of(1, 0, 0, 10, FF_TIME_MAX_NS + 1));
    step_refused(&controller, frame_of(0, 0, 0, 10, MS));
}
