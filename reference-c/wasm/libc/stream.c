/* The streams of the WebAssembly module, and the few conversions of printf that are used. */
#include "stream.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ff_stream in, out, err;

FILE *const stdin = &in;
FILE *const stdout = &out;
FILE *const stderr = &err;

static void reserve(struct ff_stream *stream, size_t size)
{
    if (size > stream->capacity) {
        size_t capacity = stream->capacity == 0 ? 4096 : stream->capacity;
        while (capacity < size) {
            capacity *= 2;
        }
        char *bytes = realloc(stream->bytes, capacity);
        if (bytes == NULL) {
            abort();
        }
        stream->bytes = bytes;
        stream->capacity = capacity;
    }
}

char *ff_stream_fill(struct ff_stream *stream, size_t size)
{
    reserve(stream, size);
    stream->used = size;
    stream->at = 0;
    return stream->bytes;
}

int getc(FILE *stream)
{
    return stream->at < stream->used ? (unsigned char)stream->bytes[stream->at++] : EOF;
}

int ferror(FILE *stream)
{
    (void)stream;
    return 0;
}

int fflush(FILE *stream)
{
    (void)stream;
    return 0;
}

static void put(struct ff_stream *stream, const char *text, size_t length)
{
    reserve(stream, stream->used + length);
    memcpy(stream->bytes + stream->used, text, length);
    stream->used += length;
}

int fputc(int c, FILE *stream)
{
    char byte = (char)c;

    put(stream, &byte, 1);
    return (unsigned char)byte;
}

int putc(int c, FILE *stream)
{
    return fputc(c, stream);
}

int fputs(const char *text, FILE *stream)
{
    put(stream, text, strlen(text));
    return 0;
}

static void put_number(struct ff_stream *stream, unsigned long long value, bool negative)
{
    char digits[21];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (negative) {
        digits[--at] = '-';
    }
    put(stream, digits + at, sizeof digits - at);
}

int vfprintf(FILE *stream, const char *format, va_list arguments)
{
    size_t before = stream->used;

    for (; *format != '\0'; format++) {
        if (*format != '%') {
            fputc(*format, stream);
            continue;
        }
        format++;
        if (*format == 's') {
            fputs(va_arg(arguments, const char *), stream);
        } else if (*format == 'd') {
            int value = va_arg(arguments, int);
            put_number(stream, value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value, value < 0);
        } else if (*format == 'u') {
            put_number(stream, va_arg(arguments, unsigned), false);
        } else if (strncmp(format, "zu", 2) == 0) {
            put_number(stream, va_arg(arguments, size_t), false);
            format += 1;
        } else if (strncmp(format, "llu", 3) == 0) {
            put_number(stream, va_arg(arguments, unsigned long long), false);
            format += 2;
        } else if (strncmp(format, "lu", 2) == 0) {
            put_number(stream, va_arg(arguments, unsigned long), false);
            format += 1;
        } else {
            abort(); /* a conversion that nothing here uses */
        }
    }
    return (int)(stream->used - before);
}

int fprintf(FILE *stream, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int snprintf(char *text, size_t size, const char *format, ...)
{
    struct ff_stream whole = {0};
    va_list arguments;

    va_start(arguments, format);
    int length = vfprintf(&whole, format, arguments);
    va_end(arguments);
    if (size > 0) {
        size_t kept = whole.used < size - 1 ? whole.used : size - 1;
        memcpy(text, whole.bytes, kept);
        text[kept] = '\0';
    }
    free(whole.bytes);
    return length;
}

_Noreturn void ff_leave(void)
{
    fputs("the run cannot go on: no such profile, or beyond the bounds of the simulator", stderr);
    __builtin_trap();
}
