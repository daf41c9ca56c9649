/* CUBIC: the arithmetic, the stage, reductions, and the base below a startup algorithm. */
#include "firstflight/cubic/window.h"
#include "support.h"

static const struct ff_config config = {1000, 36000};

static struct ff_controller cubic(void)
{
    struct ff_controller controller;

    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, "cubic", "rfc-9438", &config));
    return controller;
}

/* Lose a packet that was sent at `sent_t_ns`. */
static struct ff_observation lose(struct ff_controller *controller, uint64_t t_ns, uint64_t sent_t_ns)
{
    const struct ff_run run = {0, 0, 1000, sent_t_ns};
    struct ff_event event = {.kind = FF_EVENT_LOST, .t_ns = t_ns};

    event.lost = (struct ff_lost){.packets = &run, .run_count = 1, .bytes = 1000, .bytes_in_flight = 35000};
    return step_ok(controller, event);
}

/* Acknowledge packets of 1000 bytes that were sent 1 s earlier, with a smoothed RTT of 1 s. */
static struct ff_observation acknowledge(struct ff_controller *controller, uint64_t t_ns, uint64_t packets)
{
    const struct ff_run run = {0, packets - 1, 1000, t_ns - 1000 * MS};
    struct ff_event event = ff_event_empty(FF_EVENT_ACK, t_ns);

    event.ack.packets = &run;
    event.ack.run_count = 1;
    event.ack.bytes = 1000 * packets;
    event.ack.bytes_in_flight = 1000;
    event.ack.next_packet = packets;
    event.ack.latest_rtt_ns = event.ack.min_rtt_ns = event.ack.smoothed_rtt_ns = 1000 * MS;
    return step_ok(controller, event);
}

void test_cubic_seven_tenths(void)
{
    for (uint64_t count = 0; count < 1000; count++) {
        TEST_ASSERT_EQUAL_UINT64(count * 7 / 10, ff_cubic_seven_tenths(count));
        TEST_ASSERT_EQUAL_UINT64(count * 17 / 20, ff_cubic_seventeen_twentieths(count));
    }
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(12912720851596686130), ff_cubic_seven_tenths(UINT64_MAX));
}

void test_cubic_root_is_exact_at_cubes(void)
{
    static const uint64_t roots[] = {1, 2, 3, 1000000000, (UINT64_C(1) << 52) - 1};

    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        struct ff_wide number, one;
        ff_wide_set(&number, roots[i]);
        ff_wide_multiply(&number, roots[i]);
        ff_wide_multiply(&number, roots[i]);
        TEST_ASSERT_EQUAL_UINT64(roots[i], ff_cubic_cube_root(&number));
        ff_wide_set(&one, 1);
        ff_wide_subtract(&number, &one);
        TEST_ASSERT_EQUAL_UINT64(roots[i] - 1, ff_cubic_cube_root(&number));
    }
}

void test_cubic_curve_and_its_bounds(void)
{
    uint64_t k_ns = ff_cubic_cube_time_ns(10800, 1000);

    TEST_ASSERT_EQUAL_UINT64(3000 * MS, k_ns);
    TEST_ASSERT_EQUAL_UINT64(25200, ff_cubic_window_bytes(36000, k_ns, 1000, 0));
    TEST_ASSERT_EQUAL_UINT64(36000, ff_cubic_window_bytes(36000, k_ns, 1000, k_ns));
    TEST_ASSERT_EQUAL_UINT64(36400, ff_cubic_window_bytes(36000, k_ns, 1000, k_ns + 1000 * MS));
    TEST_ASSERT_EQUAL_UINT64(0, ff_cubic_window_bytes(36000, 100000 * MS, 1000, 0));
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, ff_cubic_window_bytes(36000, 0, 1, 2 * FF_TIME_MAX_NS));
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES,
                             ff_cubic_window_bytes(FF_WINDOW_MAX_BYTES, 0, 65535, UINT64_C(1) << 51));
    TEST_ASSERT_EQUAL_UINT64(0, ff_cubic_window_bytes(FF_WINDOW_MAX_BYTES, UINT64_C(1) << 52, 1, 0));
    TEST_ASSERT_LESS_THAN_UINT64(UINT64_C(1) << 52, ff_cubic_cube_time_ns(FF_WINDOW_MAX_BYTES, 1));
}

void test_cubic_shares_of_the_largest_windows(void)
{
    struct ff_cubic_bytes all =
        ff_cubic_share(FF_WINDOW_MAX_BYTES, FF_WINDOW_MAX_BYTES / 2, FF_WINDOW_MAX_BYTES);
    struct ff_cubic_bytes third = ff_cubic_share(1, 1, 3);

    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES / 2, all.whole);
    TEST_ASSERT_EQUAL_UINT64(0, all.fraction);
    TEST_ASSERT_EQUAL_UINT64(0, third.whole);
    TEST_ASSERT_EQUAL_UINT64((UINT64_C(1) << 32) / 3, third.fraction);
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(65535) << 32,
                             ff_cubic_friendly_increase(65535, FF_EVENT_MAX_BYTES, FF_EVENT_MAX_BYTES, true));
    TEST_ASSERT_EQUAL_UINT64((UINT64_C(9 * 65535) << 32) / 17,
                             ff_cubic_friendly_increase(65535, FF_EVENT_MAX_BYTES, FF_EVENT_MAX_BYTES, false));
}

void test_cubic_stage(void)
{
    struct ff_controller controller = cubic();

    TEST_ASSERT_EQUAL_UINT64(25200, lose(&controller, 2000 * MS, 1000 * MS).cwnd_bytes);
    struct ff_observation first = acknowledge(&controller, 3001 * MS, 1);
    TEST_ASSERT_EQUAL_UINT64(25221, first.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(3000 * MS, first.k_ns);
    TEST_ASSERT_EQUAL_UINT64(3001 * MS, first.epoch_start_ns);
    TEST_ASSERT_EQUAL_UINT64(25632, acknowledge(&controller, 4001 * MS, 1).cwnd_bytes);
}

void test_cubic_restores_once(void)
{
    struct ff_controller controller = cubic();
    const struct ff_event spurious = {.kind = FF_EVENT_SPURIOUS_LOSS, .t_ns = 2001 * MS};

    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, step_ok(&controller, (struct ff_event){.kind = FF_EVENT_SPURIOUS_LOSS, .t_ns = 1}).outcome);
    (void)lose(&controller, 2000 * MS, 1000 * MS);
    struct ff_observation restored = step_ok(&controller, spurious);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RESTORED, restored.outcome);
    TEST_ASSERT_EQUAL_UINT64(36000, restored.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_SSTHRESH_INFINITE, restored.ssthresh_bytes);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, step_ok(&controller, spurious).outcome);
}

void test_cubic_restores_nothing_late(void)
{
    struct ff_controller controller = cubic();
    const struct ff_event spurious = {.kind = FF_EVENT_SPURIOUS_LOSS, .t_ns = 60001 * MS};

    (void)lose(&controller, 2000 * MS, 1000 * MS);
    /* Above the window before the loss: far beyond K, each ACK of a whole window grows 25200 to at most 37800. */
    (void)acknowledge(&controller, 3001 * MS, 1);
    uint64_t cwnd_bytes = acknowledge(&controller, 60000 * MS, 36).cwnd_bytes;
    TEST_ASSERT_TRUE(cwnd_bytes > 36000);
    struct ff_observation late = step_ok(&controller, spurious);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_UNCHANGED, late.outcome);
    TEST_ASSERT_EQUAL_UINT64(cwnd_bytes, late.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(25200, late.ssthresh_bytes);
}

void test_cubic_below_startup_algorithms(void)
{
    static const char *const named[][2] = {{"search", "draft-09"},
                                           {"jumpstart", "scharf-2009"},
                                           {"careful-resume", "rfc-9959"},
                                           {"hystartpp", "rfc-9406"},
                                           {"hystart", "linux"}};

    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        struct ff_controller controller;
        char profile[40];
        size_t length = 0;
        for (const char *from = named[i][1]; *from != '\0'; from++) {
            profile[length++] = *from;
        }
        profile[length] = '\0';
        TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, named[i][0], profile, &config));
        TEST_ASSERT_EQUAL_INT(FF_BASE_NEWRENO, controller.base.base);
        for (const char *from = FF_SUFFIX_CUBIC; *from != '\0'; from++) {
            profile[length++] = *from;
        }
        profile[length] = '\0';
        TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, named[i][0], profile, &config));
        TEST_ASSERT_EQUAL_INT(FF_BASE_CUBIC, controller.base.base);
        profile[length - 1] = '\0';
        TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE,
                              ff_controller_init(&controller, named[i][0], profile, &config));
    }
    struct ff_controller controller;
    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_controller_init(&controller, "slow-start", "rfc-9002+cubic", &config));
    TEST_ASSERT_EQUAL_INT(FF_ERR_UNKNOWN_PROFILE, ff_controller_init(&controller, "search", "+cubic", &config));
}

void test_ack_counting(void)
{
    struct ff_controller controller;

    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, "slow-start", "ack-counting", &config));
    TEST_ASSERT_EQUAL_UINT64(37000, acknowledge(&controller, 2000 * MS, 5).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(18500, lose(&controller, 2001 * MS, 1500 * MS).cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(18500 + 1000 * 1000 / 18500, acknowledge(&controller, 3002 * MS, 5).cwnd_bytes);
}
