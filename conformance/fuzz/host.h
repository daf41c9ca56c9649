/* Included first in the files of an adapter: turns a run of the program into a call (adapter.c). */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include <stdio.h>
#include <stdlib.h>

extern FILE *host_input, *host_answers;
int host_main(void);
_Noreturn void host_exit(int code);
void *host_realloc(void *old, size_t size);
void *host_calloc(size_t count, size_t size);
void host_free(void *old);

#ifndef FUZZ_HOST_INSIDE
#undef stdin
#define stdin host_input
#define main host_main
#define exit host_exit
#define realloc host_realloc
#define calloc host_calloc
#define free host_free
#define FIRSTFLIGHT_ANSWERS host_answers
#endif

#endif
