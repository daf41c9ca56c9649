/* The C library of the WebAssembly module: memory, texts and streams in memory, and nothing that asks the outside. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Each block begins with the power of two that is its size; released blocks wait in the list of their size. */
union header {
    uint32_t power;
    union header *next;
    uint64_t align[2];
};

#define PAGE_BYTES 65536u

extern unsigned char __heap_base;

static union header *released[32];
static uintptr_t heap_at;

static uint32_t power_for(size_t size)
{
    uint32_t power = 5;

    while (power < 31 && ((size_t)1 << power) < size) {
        power++;
    }
    return power;
}

static bool reach(uintptr_t end)
{
    size_t have = __builtin_wasm_memory_size(0) * PAGE_BYTES;

    if (end <= have) {
        return true;
    }
    return __builtin_wasm_memory_grow(0, (end - have + PAGE_BYTES - 1) / PAGE_BYTES) != (size_t)-1;
}

void *malloc(size_t size)
{
    if (size > ((size_t)1 << 30)) {
        return NULL;
    }
    uint32_t power = power_for(size + sizeof(union header));
    union header *block = released[power];

    if (block != NULL) {
        released[power] = block->next;
    } else {
        if (heap_at == 0) {
            heap_at = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
        }
        if (heap_at + ((uintptr_t)1 << power) < heap_at || !reach(heap_at + ((uintptr_t)1 << power))) {
            return NULL;
        }
        block = (union header *)heap_at;
        heap_at += (uintptr_t)1 << power;
    }
    block->power = power;
    return block + 1;
}

void free(void *memory)
{
    if (memory != NULL) {
        union header *block = (union header *)memory - 1;
        uint32_t power = block->power;
        block->next = released[power];
        released[power] = block;
    }
}

void *calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    void *memory = malloc(count * size);
    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void *realloc(void *memory, size_t size)
{
    if (memory == NULL) {
        return malloc(size);
    }
    size_t have = ((size_t)1 << ((union header *)memory - 1)->power) - sizeof(union header);
    if (size <= have) {
        return memory;
    }
    void *larger = malloc(size);
    if (larger != NULL) {
        memcpy(larger, memory, have);
        free(memory);
    }
    return larger;
}

_Noreturn void abort(void)
{
    __builtin_trap();
}

_Noreturn void exit(int status)
{
    (void)status;
    __builtin_trap();
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *a = to;
    const unsigned char *b = from;

    if ((uintptr_t)to <= (uintptr_t)from) {
        for (size_t i = 0; i < size; i++) {
            a[i] = b[i];
        }
    } else {
        for (size_t i = size; i > 0; i--) {
            a[i - 1] = b[i - 1];
        }
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
    return memmove(to, from, size);
}

void *memset(void *to, int value, size_t size)
{
    unsigned char *bytes = to;

    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)value;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < size; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        length++;
    }
    return length;
}

int strncmp(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) {
            return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
        }
        if (a[i] == '\0') {
            break;
        }
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c) {
            return (char *)(uintptr_t)text;
        }
        if (*text == '\0') {
            return NULL;
        }
    }
}

size_t strspn(const char *text, const char *set)
{
    size_t length = 0;

    while (text[length] != '\0' && strchr(set, text[length]) != NULL) {
        length++;
    }
    return length;
}
