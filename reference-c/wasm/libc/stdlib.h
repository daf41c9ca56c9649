/* The part of <stdlib.h> that the port, the simulator and the adapter host need. */
#ifndef FF_WASM_STDLIB_H
#define FF_WASM_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
/* Both trap: the caller of the module reads the reason from standard error and creates a new instance. */
_Noreturn void abort(void);
_Noreturn void exit(int status);

#endif
