/*
 * libFuzzer: whole controllers of the port, in every profile that its adapter lists, on arbitrary events. An event is
 * rejected if and only if it breaks the rules of spec/events.md; a rejection changes no memory. On accepted events
 * ff_controller_process, the entry point without checks, gives the same answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "firstflight/controller.h"
#include "firstflight_adapter.h"
#include "rules.h"

#define PROFILES_MAX 256

static struct {
    char algorithm[32], profile[64];
} profiles[PROFILES_MAX];
static size_t profile_count;

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Parse algorithms and profiles from the hello answer: {"name":["a","b"],...}. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *at = strstr(firstflight_adapter_hello(), "\"algorithms\":{") + 14;
    char algorithm[32];
    int length;

    (void)argc;
    (void)argv;
    while (sscanf(at, "\"%31[^\"]\":[%n", algorithm, &length) == 1) {
        at += length;
        while (*at != ']') {
            MUST(profile_count < PROFILES_MAX && sscanf(at, "\"%63[^\"]\"%n", profiles[profile_count].profile, &length) == 1);
            memcpy(profiles[profile_count++].algorithm, algorithm, sizeof algorithm);
            at += length;
            at += *at == ',';
        }
        at++;
        at += *at == ',';
    }
    MUST(profile_count > 0);
    return 0;
}

static void look_at(const struct ff_observation *seen)
{
    MUST(seen->cwnd_bytes <= FF_WINDOW_MAX_BYTES);
    MUST(seen->ssthresh_bytes == FF_SSTHRESH_INFINITE || seen->ssthresh_bytes <= FF_WINDOW_MAX_BYTES);
    MUST(ff_phase_name(seen->phase) != NULL && ff_outcome_name(seen->outcome) != NULL);
}

/* Pass an event to both entry points. The caller swaps the controllers, so that each alternates between the two. */
static void step(struct ff_controller *one, struct ff_controller *other, const struct ff_event *event)
{
    static struct ff_controller before;
    static struct ff_observation seen, same, untouched;
    bool keeps = fuzz_keeps_rules(event, one->t_ns, one->next_packet);

    memcpy(&before, one, sizeof before);
    memset(&seen, 0xa5, sizeof seen);
    memset(&same, 0xa5, sizeof same);
    memset(&untouched, 0xa5, sizeof untouched);
    if (ff_controller_step(one, event, &seen) != FF_OK) {
        MUST(!keeps || one->algorithm == FF_ALGORITHM_SEARCH || one->algorithm == FF_ALGORITHM_CAREFUL_RESUME);
        MUST(memcmp(&before, one, sizeof before) == 0 && memcmp(&untouched, &seen, sizeof seen) == 0);
        return;
    }
    MUST(keeps);
    MUST(ff_controller_process(other, event, &same) == FF_OK);
    MUST(memcmp(&seen, &same, sizeof seen) == 0);
    look_at(&seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ff_controller one, other;
    struct fuzz_stream stream;
    struct ff_event event;

    fuzz_begin(&stream, data, size);
    size_t profile = fuzz_byte(&stream) % profile_count;
    stream.mss = fuzz_number(&stream, 1200);
    const struct ff_config config = {stream.mss, fuzz_number(&stream, 0)};
    memset(&one, 0, sizeof one);
    if (ff_controller_init(&one, profiles[profile].algorithm, profiles[profile].profile, &config) != FF_OK) {
        return 0;
    }
    memcpy(&other, &one, sizeof one);
    for (bool turn = false; fuzz_event(&stream, &event); turn = !turn) {
        step(turn ? &one : &other, turn ? &other : &one, &event);
    }
    return 0;
}
