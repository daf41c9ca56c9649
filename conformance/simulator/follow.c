/* Follow a recording with a profile: the port processes its events, given the subject's window before each. */
#include "simulator.h"

#include "firstflight/controller.h"

/*
 * Return the number of processed events. It is below `count` if the model rejected an event, or after more than `most`
 * answers differed from `after`, the subject's windows. Before the event `begin`, only sent packets are processed.
 * Windows are compared in units of `unit` bytes; while they are equal, the profile keeps the remainder of its window.
 */
size_t sim_follow(const char *algorithm, const char *profile, const struct ff_config *config, const struct ff_event *events,
                  const uint64_t *given, const uint64_t *after, size_t count, size_t begin, size_t most,
                  uint64_t unit, struct sim_followed *answers)
{
    struct ff_controller controller;
    struct ff_observation seen;
    size_t differing = 0;

    if (ff_controller_init(&controller, algorithm, profile, config) != FF_OK) {
        return 0;
    }
    for (size_t i = 0; i < count && differing <= most; i++) {
        if (given[i] != SIM_NONE && controller.base.cwnd_bytes / unit != given[i] / unit) {
            controller.base.cwnd_bytes = given[i];
        }
        answers[i] = (struct sim_followed){controller.base.cwnd_bytes, FF_SSTHRESH_INFINITE, SIM_NONE, SIM_NONE};
        if (i >= begin || events[i].kind == FF_EVENT_SENT) {
            if (ff_controller_step(&controller, &events[i], &seen) != FF_OK) {
                return i;
            }
            answers[i] = (struct sim_followed){seen.cwnd_bytes, seen.ssthresh_bytes, seen.phase, seen.outcome};
        }
        differing += after[i] != SIM_NONE && answers[i].cwnd_bytes / unit != after[i] / unit;
        if (differing > most) {
            return i + 1;
        }
    }
    return count;
}
