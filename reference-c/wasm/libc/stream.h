/* A stream of the WebAssembly module: a buffer that grows as it is written and is read from its beginning. */
#ifndef FF_WASM_STREAM_H
#define FF_WASM_STREAM_H

#include <stddef.h>

struct ff_stream {
    char *bytes;
    size_t used;
    size_t capacity;
    size_t at; /* index of the next byte to be read */
};

/* Return room for `size` bytes from the beginning on, which then count as written. Trap if memory runs out. */
char *ff_stream_fill(struct ff_stream *stream, size_t size);

#endif
