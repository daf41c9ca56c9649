/*
 * A small JSON reader for one message to a line (RFC 8259). A line becomes an array of nodes in document order;
 * every function that looks up or converts returns false for what is not there or of another type.
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
    const char *text; /* of a string without escapes, of a number as it stands; ends with a NUL for strings */
    size_t length;
    size_t children; /* of an array its elements, of an object its members: a key and a value each */
    size_t next;     /* index of the node after this one and all that it holds */
};

struct json_doc {
    struct json_node *nodes; /* node 0 is the whole */
    size_t count;
    size_t capacity;
    char *line;
    size_t line_capacity;
};

enum json_read { JSON_READ_LINE, JSON_READ_END, JSON_READ_TOO_LONG, JSON_READ_FAILED };

/* Read the next line into the document; its nodes are not valid until it is parsed. */
enum json_read json_read_line(struct json_doc *doc, FILE *in);

/* Parse the line, in place. Return NULL, or what is wrong with it. */
const char *json_parse(struct json_doc *doc);

/* Find the member `name` of the object at index `object`. */
bool json_member(const struct json_doc *doc, size_t object, const char *name, size_t *value);

/* Is the node a string with this text? */
bool json_is_text(const struct json_doc *doc, size_t node, const char *text);

/* A number up to 2^53 - 1, or a larger one below 2^64 as a decimal string (spec/events.md). */
bool json_u64(const struct json_doc *doc, size_t node, uint64_t *value);

bool json_bool(const struct json_doc *doc, size_t node, bool *value);

/* Release what the document holds. */
void json_free(struct json_doc *doc);

/* Write a number in the same form, and a text as a JSON string. */
void json_write_u64(FILE *out, uint64_t value);
void json_write_text(FILE *out, const char *text);

#endif
