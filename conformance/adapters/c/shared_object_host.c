/*
 * Serves a shared object over JSON lines: shared-object-host LIB.so. It uses the loop of stdio_host.c, and writes the
 * answers to firstflight_answers.
 */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "firstflight_adapter.h"

FILE *firstflight_answers;

#define FIRSTFLIGHT_ANSWERS firstflight_answers
#define main firstflight_serve
#include "stdio_host.c"
#undef main

/* The functions of the library; compute is optional and may be NULL. events: number of events in the case. */
static struct {
    const char *(*hello)(void);
    void *(*start)(const struct firstflight_case *start, const char **unsupported_reason);
    int (*event)(void *self, const struct firstflight_event *event, struct firstflight_observed *observed);
    void (*end)(void *self);
    int (*compute)(const struct firstflight_computation *computation, struct firstflight_computed *computed);
    unsigned long events;
} library;

const char *firstflight_adapter_hello(void)
{
    return library.hello();
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    library.events = 0;
    return library.start(start, unsupported_reason);
}

int firstflight_adapter_event(void *self, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    int answer = library.event(self, event, observed);

    if (answer != FIRSTFLIGHT_OBSERVED && answer != FIRSTFLIGHT_UNSUPPORTED) {
        fprintf(stderr, "firstflight_adapter_event returned %d for event %lu\n", answer, library.events);
        exit(1);
    }
    library.events++;
    return answer;
}

void firstflight_adapter_end(void *self)
{
    library.end(self);
}

int firstflight_adapter_compute(const struct firstflight_computation *computation, struct firstflight_computed *computed)
{
    if (library.compute == NULL) {
        computed->reason = "this adapter computes nothing";
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    return library.compute(computation, computed);
}

static _Noreturn void unusable(const char *path)
{
    fprintf(stderr, "%s cannot be used: %s\n", path, dlerror());
    exit(2);
}

/* Write the address of a function to the pointer at place: ISO C cannot convert object to function pointers. */
static bool find(void *handle, const char *name, void *place)
{
    void *address = dlsym(handle, name);

    memcpy(place, &address, sizeof address);
    return address != NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s LIB.so\n", argv[0]);
        return 2;
    }
    /* Output of the library must not mix with the answers: its standard output becomes the log. */
    firstflight_answers = fdopen(dup(STDOUT_FILENO), "w");
    if (firstflight_answers == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        perror(argv[0]);
        return 2;
    }
    void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL || !find(handle, "firstflight_adapter_hello", &library.hello) ||
        !find(handle, "firstflight_adapter_start", &library.start) || !find(handle, "firstflight_adapter_event", &library.event) ||
        !find(handle, "firstflight_adapter_end", &library.end)) {
        unusable(argv[1]);
    }
    find(handle, "firstflight_adapter_compute", &library.compute);
    return firstflight_serve();
}
