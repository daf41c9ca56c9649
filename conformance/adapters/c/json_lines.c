/* A small JSON reader for one message to a line. */
#include "json_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The largest integer that every JSON reader keeps exactly. */
#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)
#define DEPTH_MAX 16

static bool make_room(struct json_doc *doc, size_t length)
{
    if (length <= doc->line_capacity) {
        return true;
    }
    size_t capacity = doc->line_capacity == 0 ? 4096 : 2 * doc->line_capacity;
    char *line = realloc(doc->line, capacity);
    if (line == NULL) {
        return false;
    }
    doc->line = line;
    doc->line_capacity = capacity;
    return true;
}

enum json_read json_read_line(struct json_doc *doc, FILE *in)
{
    size_t length = 0;
    int c;

    doc->count = 0;
    while ((c = getc(in)) != EOF && c != '\n') {
        if (length == JSON_LINE_MAX_BYTES) {
            return JSON_READ_TOO_LONG;
        }
        if (!make_room(doc, length + 1)) {
            return JSON_READ_FAILED;
        }
        doc->line[length++] = c == '\0' ? '\1' : (char)c; /* a NUL would hide the rest; no rule accepts \1 either */
    }
    if (ferror(in) || !make_room(doc, length + 1)) {
        return JSON_READ_FAILED;
    }
    doc->line[length] = '\0';
    return c == EOF && length == 0 ? JSON_READ_END : JSON_READ_LINE;
}

/* The line ends with a NUL, which no rule accepts, so that no rule reads beyond it. */
struct parser {
    struct json_doc *doc;
    char *at;
    const char *error;
};

static bool fail(struct parser *parser, const char *error)
{
    parser->error = error;
    return false;
}

static void skip_space(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r') { /* mostly none: no call for that */
        parser->at++;
    }
}

static bool accept(struct parser *parser, char c)
{
    skip_space(parser);
    if (*parser->at != c) {
        return false;
    }
    parser->at++;
    return true;
}

/* Append a node and set its index. Pointers to nodes do not survive this. */
static bool add_node(struct parser *parser, enum json_kind kind, size_t *index)
{
    struct json_doc *doc = parser->doc;

    if (doc->count == doc->capacity) {
        size_t capacity = doc->capacity == 0 ? 64 : 2 * doc->capacity;
        struct json_node *nodes = realloc(doc->nodes, capacity * sizeof *nodes);
        if (nodes == NULL) {
            return fail(parser, "out of memory");
        }
        doc->nodes = nodes;
        doc->capacity = capacity;
    }
    *index = doc->count++;
    doc->nodes[*index] = (struct json_node){.kind = kind, .text = parser->at, .next = doc->count};
    return true;
}

static bool parse_hex(struct parser *parser, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < 4; i++, parser->at++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *parser->at == '\0' ? NULL : strchr(digits, *parser->at);
        if (digit == NULL) {
            return fail(parser, "\\u without four hexadecimal digits");
        }
        *value = *value * 16 + (uint32_t)((digit - digits) % 16);
    }
    return true;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xE0 | code >> 12);
        } else {
            *out++ = (char)(0xF0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (code & 0x3F));
    return out;
}

static bool parse_unicode(struct parser *parser, char **out)
{
    uint32_t code;
    uint32_t low;

    if (!parse_hex(parser, &code)) {
        return false;
    }
    if (code == 0 || (code >= 0xDC00 && code <= 0xDFFF)) {
        return fail(parser, "\\u0000 or half a surrogate pair");
    }
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (strncmp(parser->at, "\\u", 2) != 0) {
            return fail(parser, "half a surrogate pair");
        }
        parser->at += 2;
        if (!parse_hex(parser, &low)) {
            return false;
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(parser, "half a surrogate pair");
        }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    *out = put_utf8(*out, code);
    return true;
}

static bool parse_escape(struct parser *parser, char **out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = *++parser->at;
    const char *letter = c == '\0' ? NULL : strchr(letters, c);

    if (c == 'u') {
        parser->at++;
        return parse_unicode(parser, out);
    }
    if (letter == NULL) {
        return fail(parser, "unknown escape");
    }
    parser->at++;
    *(*out)++ = meanings[letter - letters];
    return true;
}

/* Resolve the escapes in place: no escape is shorter than its character. */
static bool parse_string(struct parser *parser, size_t *index)
{
    if (!add_node(parser, JSON_STRING, index)) {
        return false;
    }
    char *begin = ++parser->at;
    char *out = begin;
    while (*parser->at != '"') {
        if ((unsigned char)*parser->at < 0x20) {
            return fail(parser, "a string without end or with a control character");
        }
        if (*parser->at != '\\') {
            *out++ = *parser->at++;
        } else if (!parse_escape(parser, &out)) {
            return false;
        }
    }
    parser->at++;
    *out = '\0';
    parser->doc->nodes[*index].text = begin;
    parser->doc->nodes[*index].length = (size_t)(out - begin);
    return true;
}

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool parse_number(struct parser *parser)
{
    const char *begin = parser->at;
    const char *at = begin + (*begin == '-');
    size_t digits = count_digits(at);
    size_t index;

    if (digits == 0 || (digits > 1 && *at == '0')) {
        return fail(parser, "neither a value nor a number");
    }
    at += digits;
    if (*at == '.') {
        digits = count_digits(at + 1);
        if (digits == 0) {
            return fail(parser, "a fraction without digits");
        }
        at += 1 + digits;
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        digits = count_digits(at);
        if (digits == 0) {
            return fail(parser, "an exponent without digits");
        }
        at += digits;
    }
    if (!add_node(parser, JSON_NUMBER, &index)) {
        return false;
    }
    parser->doc->nodes[index].length = (size_t)(at - begin);
    parser->at += at - begin;
    return true;
}

static bool parse_word(struct parser *parser, const char *word, enum json_kind kind)
{
    size_t index;

    if (strncmp(parser->at, word, strlen(word)) != 0) {
        return fail(parser, "neither a value nor a number");
    }
    parser->at += strlen(word);
    return add_node(parser, kind, &index);
}

static bool parse_value(struct parser *parser, int depth);

static bool parse_key(struct parser *parser)
{
    size_t key;

    skip_space(parser);
    if (*parser->at != '"') {
        return fail(parser, "a member without name");
    }
    return parse_string(parser, &key) && (accept(parser, ':') || fail(parser, "a name without colon"));
}

/* An array or an object: the same but for the keys. */
static bool parse_container(struct parser *parser, enum json_kind kind, char close, int depth)
{
    size_t index;
    size_t children = 0;

    if (depth == DEPTH_MAX) {
        return fail(parser, "nested too deep");
    }
    if (!add_node(parser, kind, &index)) {
        return false;
    }
    parser->at++;
    if (!accept(parser, close)) {
        do {
            if ((kind == JSON_OBJECT && !parse_key(parser)) || !parse_value(parser, depth + 1)) {
                return false;
            }
            children++;
        } while (accept(parser, ','));
        if (!accept(parser, close)) {
            return fail(parser, "an array or object without end");
        }
    }
    parser->doc->nodes[index].children = children;
    parser->doc->nodes[index].next = parser->doc->count;
    return true;
}

static bool parse_value(struct parser *parser, int depth)
{
    size_t index;

    skip_space(parser);
    switch (*parser->at) {
    case '{':
        return parse_container(parser, JSON_OBJECT, '}', depth);
    case '[':
        return parse_container(parser, JSON_ARRAY, ']', depth);
    case '"':
        return parse_string(parser, &index);
    case 'n':
        return parse_word(parser, "null", JSON_NULL);
    case 't':
        return parse_word(parser, "true", JSON_TRUE);
    case 'f':
        return parse_word(parser, "false", JSON_FALSE);
    default:
        return parse_number(parser);
    }
}

const char *json_parse(struct json_doc *doc)
{
    struct parser parser = {doc, doc->line, NULL};

    doc->count = 0;
    if (!parse_value(&parser, 0)) {
        return parser.error;
    }
    return accept(&parser, '\0') ? NULL : "more after the value";
}

bool json_member(const struct json_doc *doc, size_t object, const char *name, size_t *value)
{
    const struct json_node *node = &doc->nodes[object];
    size_t key = object + 1;

    if (node->kind != JSON_OBJECT) {
        return false;
    }
    for (size_t i = 0; i < node->children; i++) {
        if (json_is_text(doc, key, name)) {
            *value = key + 1;
            return true;
        }
        key = doc->nodes[key + 1].next;
    }
    return false;
}

bool json_is_text(const struct json_doc *doc, size_t node, const char *text)
{
    return doc->nodes[node].kind == JSON_STRING && strcmp(doc->nodes[node].text, text) == 0;
}

bool json_u64(const struct json_doc *doc, size_t node, uint64_t *value)
{
    const struct json_node *number = &doc->nodes[node];
    bool text = number->kind == JSON_STRING;
    uint64_t sum = 0;

    if ((!text && number->kind != JSON_NUMBER) || number->length == 0 || (text && number->text[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < number->length; i++) {
        char c = number->text[i];
        if (c < '0' || c > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(c - '0');
        if (sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *value = sum;
    return text == (sum > NUMBER_MAX);
}

bool json_bool(const struct json_doc *doc, size_t node, bool *value)
{
    *value = doc->nodes[node].kind == JSON_TRUE;
    return *value || doc->nodes[node].kind == JSON_FALSE;
}

void json_free(struct json_doc *doc)
{
    free(doc->nodes);
    free(doc->line);
    *doc = (struct json_doc){0};
}

void json_write_u64(FILE *out, uint64_t value)
{
    fprintf(out, value > NUMBER_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
}

void json_write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            putc('\\', out);
        }
        if ((unsigned char)*text < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)*text);
        } else {
            putc(*text, out);
        }
    }
    putc('"', out);
}
