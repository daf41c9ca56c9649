/* The one conversion of <inttypes.h> that is used. */
#ifndef FF_WASM_INTTYPES_H
#define FF_WASM_INTTYPES_H

#include <stdint.h>

#define PRIu64 "llu"

#endif
