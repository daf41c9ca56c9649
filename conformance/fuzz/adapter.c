/*
 * libFuzzer: the adapter of the port as a program that reads arbitrary bytes from standard input. It answers, or exits
 * with code 2. The host's main, exit, stdin and memory are renamed: each input is a separate run without leaks.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_HOST_INSIDE
#include "host.h"

#define KEPT_MAX 64

FILE *host_input, *host_answers;
static jmp_buf left;
static void *kept[KEPT_MAX]; /* live allocations of the run */

void host_exit(int code)
{
    if (code != 2) {
        abort();
    }
    longjmp(left, 1);
}

static void *keep(void *old, void *now)
{
    for (size_t i = 0; i < KEPT_MAX; i++) {
        if (kept[i] == old) {
            kept[i] = now;
            return now;
        }
    }
    abort();
}

void *host_realloc(void *old, size_t size)
{
    return keep(old, realloc(old, size));
}

void *host_calloc(size_t count, size_t size)
{
    return keep(NULL, calloc(count, size));
}

void host_free(void *old)
{
    if (old != NULL) {
        free(keep(old, NULL) == NULL ? old : NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (host_answers == NULL) {
        host_answers = fopen("/dev/null", "w");
    }
    host_input = fmemopen((void *)(uintptr_t)data, size, "r");
    if (setjmp(left) == 0 && host_main() != 0) {
        abort();
    }
    fclose(host_input);
    for (size_t i = 0; i < KEPT_MAX; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
    return 0;
}
