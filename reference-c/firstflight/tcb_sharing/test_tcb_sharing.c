/* Unit tests of TCB sharing: initial values of each profile, the schedule at the limits of the domain, and the end of a
 * paced startup. */
#include "support.h"

static struct ff_event saved_path(uint64_t t_ns, uint64_t cwnd_bytes, uint64_t rtt_ns)
{
    struct ff_event event = {.kind = FF_EVENT_SAVED_PATH, .t_ns = t_ns};

    event.saved_path = (struct ff_saved_path){cwnd_bytes, rtt_ns, true, false, UINT64_MAX, UINT64_MAX, 1, 2};
    return event;
}

void test_tcb_sharing_begins_with_the_cache(void)
{
    static const struct {
        const char *profile;
        uint64_t cwnd_bytes;
        uint64_t ssthresh_bytes;
    } cases[] = {
        {"rfc-9040", 48000, 24000},       {"linux", 12000, 24000},
        {"freebsd", 12000, 24000},        {"freebsd-window", 24000, 24000},
        {"stateful-tcp", 48000, FF_SSTHRESH_INFINITE}, {"rfc-9040+cubic", 48000, 24000},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ff_controller controller = controller_of("tcb-sharing", cases[i].profile, 12000);
        struct ff_observation seen = step_ok(&controller, saved_path(1, 48000, 100000000));
        TEST_ASSERT_EQUAL(FF_OUTCOME_TCB_SHARED, seen.outcome);
        TEST_ASSERT_EQUAL_UINT64(cases[i].cwnd_bytes, seen.cwnd_bytes);
        TEST_ASSERT_EQUAL_UINT64(cases[i].ssthresh_bytes, seen.ssthresh_bytes);
    }
}

void test_tcb_sharing_at_the_ends_of_the_domain(void)
{
    struct ff_controller controller = controller_of("tcb-sharing", "stateful-tcp", 12000);
    struct ff_observation seen = step_ok(&controller, saved_path(1, FF_WINDOW_MAX_BYTES, FF_TIME_MAX_NS));

    /* 2^62 - 1 bytes contain floor((2^62 - 1) / 1200) datagrams */
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES / 1200 * 1200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(1, seen.next_release_ns);
    controller = controller_of("tcb-sharing", "rfc-9040", 12000);
    seen = step_ok(&controller, saved_path(1, FF_WINDOW_MAX_BYTES, FF_TIME_MAX_NS));
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES / 2, seen.ssthresh_bytes);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.cached_cwnd_bytes);
}

void test_tcb_sharing_without_flight_the_startup_goes_on(void)
{
    struct ff_controller controller = controller_of("tcb-sharing", "stateful-tcp", 12000);

    step_ok(&controller, saved_path(1, 48000, 100000000));
    struct ff_observation seen = step_ok(&controller, ack_of(2, 1, 1200, 1));
    TEST_ASSERT_EQUAL(FF_OUTCOME_GROWN, seen.outcome);
    TEST_ASSERT_EQUAL_UINT64(49200, seen.cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(1, seen.next_release_ns);
}
