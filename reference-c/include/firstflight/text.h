/* Comparing texts without a library. */
#ifndef FIRSTFLIGHT_TEXT_H
#define FIRSTFLIGHT_TEXT_H

#include <stdbool.h>

static inline bool ff_same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

#endif
