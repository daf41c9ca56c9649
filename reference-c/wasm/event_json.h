/* Writes events as JSON lines in the form of spec/events.md. */
#ifndef FF_WASM_EVENT_JSON_H
#define FF_WASM_EVENT_JSON_H

#include <stdio.h>

#include "firstflight/events.h"

/* Write one event and a line feed. */
void ff_event_write(FILE *out, const struct ff_event *event);

/* Write the prefix `before` and a number, or null for an absent number (UINT64_MAX). */
void ff_member_write(FILE *out, const char *before, uint64_t value);

#endif
