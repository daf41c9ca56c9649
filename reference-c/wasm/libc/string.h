/* The part of <string.h> that the port, the simulator and the adapter host need. */
#ifndef FF_WASM_STRING_H
#define FF_WASM_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strchr(const char *text, int c);
size_t strspn(const char *text, const char *set);

#endif
