/* The part of <stdio.h> that the adapter host and the JSON reader need: streams are buffers in memory. */
#ifndef FF_WASM_STDIO_H
#define FF_WASM_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

typedef struct ff_stream FILE;

extern FILE *const stdin;
extern FILE *const stdout;
extern FILE *const stderr;

int getc(FILE *in);
int ferror(FILE *stream);
int fputc(int c, FILE *out);
int putc(int c, FILE *out);
int fputs(const char *text, FILE *out);
int fflush(FILE *out);
/* The conversions are %s, %d, %u, %lu, %llu and %zu. */
int fprintf(FILE *out, const char *format, ...);
int vfprintf(FILE *out, const char *format, va_list arguments);
int snprintf(char *text, size_t size, const char *format, ...);

#endif
