/* A shared object whose answers depend on the macro MODE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firstflight_adapter.h"

#define RIGHT 0
#define CRASHES 1
#define GIVES_UP 2
#define PRINTS 3

#ifndef NO_HELLO
const char *firstflight_adapter_hello(void)
{
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"library\",\"version\":\"1\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\",\"phase\",\"outcome\",\"state\"]}";
}
#endif

static struct {
    int target;
} current;

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    if (strcmp(start->algorithm, "slow-start") != 0) {
        *unsupported_reason = "only slow start";
        return NULL;
    }
    current.target = strstr(start->id, ".target.") != NULL;
    return &current;
}

/* The expected numbers of the vectors in runner_support.py, copied rather than computed. */
int firstflight_adapter_event(void *self, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    static const uint64_t cwnd_bytes[] = {12000, 14400, 7200, 0, 0, 7200};
    static const char *const outcome[] = {"sent", "grown", "reduced", "", "", "unchanged"};
    int reduced = event->kind >= FIRSTFLIGHT_EVENT_LOST;

    (void)self;
    if (current.target && event->kind == FIRSTFLIGHT_EVENT_ACK) {
        if (MODE == CRASHES) {
            abort();
        }
        if (MODE == GIVES_UP) {
            return FIRSTFLIGHT_FAULT;
        }
        if (MODE == PRINTS) {
            puts("this goes to the log");
            fflush(stdout);
        }
    }
    observed->cwnd_bytes = cwnd_bytes[event->kind];
    observed->has_ssthresh = 1;
    observed->ssthresh_bytes = reduced ? 7200 : FIRSTFLIGHT_NONE;
    observed->phase = reduced ? "recovery" : "slow_start";
    observed->outcome = outcome[event->kind];
    observed->state_count = 1;
    observed->state[0].name = "recovery_start_ns";
    observed->state[0].is_null = !reduced;
    observed->state[0].value = 1100000000;
    return FIRSTFLIGHT_OBSERVED;
}

void firstflight_adapter_end(void *self)
{
    (void)self;
}
