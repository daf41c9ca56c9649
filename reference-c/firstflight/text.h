/* Comparing texts without a library. */
#ifndef FIRSTFLIGHT_TEXT_H
#define FIRSTFLIGHT_TEXT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline bool ff_same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

#ifdef __cplusplus
}
#endif

#endif
