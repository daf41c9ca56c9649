/* Common helpers of the tests: events with one run, and steps that must succeed. */
#ifndef FIRSTFLIGHT_TESTS_SUPPORT_H
#define FIRSTFLIGHT_TESTS_SUPPORT_H

#include <string.h>

#include "firstflight/controller.h"
#include "unity.h"

#define MS UINT64_C(1000000)

/* Runs outlive the event that borrows them: one buffer, overwritten by the next event. */
static struct ff_run support_run;

static inline const struct ff_run *one_run(uint64_t packets, uint64_t size_bytes, uint64_t sent_t_ns)
{
    support_run = (struct ff_run){0, packets - 1, size_bytes, sent_t_ns};
    return &support_run;
}

static inline struct ff_event ack_of(uint64_t t_ns, uint64_t packets, uint64_t size_bytes, uint64_t sent_t_ns)
{
    struct ff_event event = {.kind = FF_EVENT_ACK, .t_ns = t_ns};

    event.ack = (struct ff_ack){.packets = one_run(packets, size_bytes, sent_t_ns),
                                .run_count = 1,
                                .bytes = packets * size_bytes,
                                .latest_rtt_ns = t_ns - sent_t_ns,
                                .min_rtt_ns = t_ns - sent_t_ns,
                                .smoothed_rtt_ns = t_ns - sent_t_ns};
    return event;
}

static inline struct ff_event lost_of(uint64_t t_ns, uint64_t sent_t_ns)
{
    struct ff_event event = {.kind = FF_EVENT_LOST, .t_ns = t_ns};

    event.lost = (struct ff_lost){.packets = one_run(1, 1200, sent_t_ns), .run_count = 1, .bytes = 1200};
    return event;
}

static inline struct ff_event sent_of(uint64_t t_ns, uint64_t packets, uint64_t size_bytes)
{
    struct ff_event event = {.kind = FF_EVENT_SENT, .t_ns = t_ns};

    event.sent = (struct ff_sent){
        .packets = one_run(packets, size_bytes, t_ns), .run_count = 1, .bytes = packets * size_bytes};
    return event;
}

static inline struct ff_event plain(enum ff_event_kind kind, uint64_t t_ns)
{
    return (struct ff_event){.kind = kind, .t_ns = t_ns};
}

static inline struct ff_controller controller_of(const char *algorithm, const char *profile, uint64_t initial_window_bytes)
{
    struct ff_controller controller;
    const struct ff_config config = {1200, initial_window_bytes};

    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_init(&controller, algorithm, profile, &config));
    return controller;
}

static inline struct ff_observation step_ok(struct ff_controller *controller, struct ff_event event)
{
    struct ff_observation observation;

    TEST_ASSERT_EQUAL_INT(FF_OK, ff_controller_step(controller, &event, &observation));
    return observation;
}

/* The event is refused, and neither the state nor the observation is touched. */
static inline void step_refused(struct ff_controller *controller, struct ff_event event)
{
    struct ff_controller before;
    struct ff_observation observation;
    struct ff_observation untouched;

    memcpy(&before, controller, sizeof before);
    memset(&observation, 0x5A, sizeof observation);
    memset(&untouched, 0x5A, sizeof untouched);
    TEST_ASSERT_EQUAL_INT(FF_ERR_DOMAIN, ff_controller_step(controller, &event, &observation));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&before, controller, sizeof before));
    TEST_ASSERT_EQUAL_INT(0, memcmp(&untouched, &observation, sizeof observation));
}

#endif
