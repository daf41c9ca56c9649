/*
 * A small JSON reader for one message per line (RFC 8259). A line becomes an array of nodes in document order;
 * functions that look up or convert a node return false if the node is missing or has another type.
 */
#ifndef FIRSTFLIGHT_JSON_LINES_H
#define FIRSTFLIGHT_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A longer line is refused: an event of 65536 runs takes about 6 MB. */
#define JSON_LINE_MAX_BYTES ((size_t)64 << 20)

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_node {
    enum json_kind kind;
    const char *text; /* a string without escapes, ends with a NUL; a number verbatim */
    size_t length;
    size_t children; /* elements of an array; members of an object, a key and a value each */
    size_t next;     /* index of the node after this one and all its descendants */
};

struct json_doc {
    struct json_node *nodes; /* node 0 is the whole document */
    size_t count;
    size_t capacity;
    char *line;
    size_t line_capacity;
};

enum json_read { JSON_READ_LINE, JSON_READ_END, JSON_READ_TOO_LONG, JSON_READ_FAILED };

/* Read the next line into the document; its nodes are not valid until it is parsed. */
enum json_read json_read_line(struct json_doc *doc, FILE *in);

/* Parse the line, in place. Return NULL, or an error message. */
const char *json_parse(struct json_doc *doc);

/* Find the member `name` of the object at index `object`. */
bool json_member(const struct json_doc *doc, size_t object, const char *name, size_t *value);

/* Return whether the node is a string with this text. */
bool json_is_text(const struct json_doc *doc, size_t node, const char *text);

/* Convert a number up to 2^53 - 1, or a decimal string below 2^64 (spec/events.md). */
bool json_u64(const struct json_doc *doc, size_t node, uint64_t *value);

bool json_bool(const struct json_doc *doc, size_t node, bool *value);

/* Release the memory of the document. */
void json_free(struct json_doc *doc);

/* Write a number in the same form, and a text as a JSON string. */
void json_write_u64(FILE *out, uint64_t value);
void json_write_text(FILE *out, const char *text);

#endif
