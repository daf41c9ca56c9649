/* Unit tests of Careful Resume: exact shares, limits of the pacing schedule, and events outside the domain. */
#include "firstflight/careful_resume/state.h"
#include "support.h"

static struct ff_event saved_of(uint64_t t_ns, uint64_t cwnd_bytes, uint64_t rtt_ns)
{
    struct ff_event event = {.kind = FF_EVENT_SAVED_PATH, .t_ns = t_ns};

    event.saved_path = (struct ff_saved_path){cwnd_bytes, rtt_ns, true, false, UINT64_MAX, UINT64_MAX, 1, 2};
    return event;
}

static struct ff_event waiting_of(uint64_t t_ns)
{
    struct ff_event event = {.kind = FF_EVENT_BACKLOG, .t_ns = t_ns};

    event.backlog = (struct ff_backlog){FF_WINDOW_MAX_BYTES, FF_WINDOW_MAX_BYTES, FF_NO_RTT_NS};
    return event;
}

void test_resume_shares_are_exact(void)
{
    TEST_ASSERT_EQUAL_UINT64(70000, ff_careful_resume_share(100001, 7, 10, false));
    TEST_ASSERT_EQUAL_UINT64(70001, ff_careful_resume_share(100001, 7, 10, true));
    TEST_ASSERT_EQUAL_UINT64(0, ff_careful_resume_share(0, UINT64_MAX, 1, true));
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, ff_careful_resume_share(UINT64_MAX, UINT64_MAX, UINT64_MAX, true));
    TEST_ASSERT_EQUAL_UINT64(UINT64_MAX, ff_careful_resume_share(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, true));
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, ff_careful_resume_saturated(2 * FF_WINDOW_MAX_BYTES));
}

void test_resume_jumps_and_paces_the_largest_values(void)
{
    struct ff_controller controller = controller_of("careful-resume", "rfc-9959", 0);

    (void)step_ok(&controller, saved_of(1, FF_WINDOW_MAX_BYTES, FF_TIME_MAX_NS - 1));
    (void)step_ok(&controller, ack_of(FF_TIME_MAX_NS, 1, 1200, 1));
    struct ff_observation seen = step_ok(&controller, waiting_of(FF_TIME_MAX_NS));
    TEST_ASSERT_EQUAL_INT(FF_PHASE_RECONNAISSANCE, seen.phase); /* no packet was ever sent */
    seen = step_ok(&controller, plain(FF_EVENT_PATH_CHANGE, FF_TIME_MAX_NS));
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_PATH_CHANGED, seen.outcome);
    TEST_ASSERT_EQUAL_INT(FF_PHASE_NORMAL, seen.phase);
    TEST_ASSERT_EQUAL_UINT64(FF_WINDOW_MAX_BYTES, seen.saved_cwnd_bytes);
    TEST_ASSERT_EQUAL_UINT64(0, seen.saved_in_use);
}

void test_resume_refuses_what_lies_outside_the_domain(void)
{
    struct ff_controller controller = controller_of("careful-resume", "draft-10", 0);
    struct ff_event event = saved_of(1, FF_WINDOW_MAX_BYTES + 1, 1);

    step_refused(&controller, event);
    event = saved_of(1, 1, FF_TIME_MAX_NS + 1);
    step_refused(&controller, event);
    event = saved_of(1, 1, 1);
    event.saved_path.beta_numerator = 0;
    step_refused(&controller, event);
    event.saved_path.beta_numerator = 3;
    step_refused(&controller, event);
    event.saved_path.beta_numerator = 1;
    event.saved_path.max_jump_bytes = 0;
    step_refused(&controller, event);
    event.saved_path.max_jump_bytes = 1;
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_RESUMING, step_ok(&controller, event).outcome);
    TEST_ASSERT_EQUAL_INT(FF_OUTCOME_ALREADY_USED, step_ok(&controller, event).outcome);
}

void test_resume_names(void)
{
    TEST_ASSERT_EQUAL_STRING("safe_retreat", ff_phase_name(FF_PHASE_SAFE_RETREAT));
    TEST_ASSERT_EQUAL_STRING("ECN_CE", ff_trigger_name(FF_TRIGGER_ECN_CE));
    TEST_ASSERT_NULL(ff_trigger_name(FF_TRIGGER_NONE));
}
