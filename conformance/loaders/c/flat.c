/* Strict: the members of a line must be those of pages/flat-format.md in their order; at anything else the reader stops. */
#include "flat.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The members of each kind of event, in their order. */
static const char *const kinds[][FLAT_MEMBERS] = {
    {"sent", "packets", "bytes", "bytes_in_flight", "app_limited", "retransmits"},
    {"ack", "packets", "bytes", "bytes_in_flight", "next_packet", "app_limited", "latest_rtt_ns", "min_rtt_ns", "smoothed_rtt_ns",
     "ack_delay_ns", "oldest_unacked_packet"},
    {"lost", "packets", "bytes", "bytes_in_flight", "next_packet"},
    {"ce", "packet", "sent_t_ns", "ce_count"},
    {"backlog", "queued_bytes", "receive_window_bytes", "latest_rtt_ns"},
    {"saved_path", "saved_cwnd_bytes", "saved_rtt_ns", "endpoint_matches", "in_use", "expires_t_ns", "max_jump_bytes",
     "beta_numerator", "beta_denominator"},
    {"persistent_congestion"}, {"pto"}, {"path_change"}, {"spurious_loss"}, {"idle_restart"},
};
static FILE *file;
static char line[1 << 24];
static char *at;
static jmp_buf refused;

static void need(int holds, const char *wanted) {
    if (holds) return;
    fprintf(stderr, "flat: %s is needed at: %.60s\n", wanted, at);
    longjmp(refused, 1);
}
static int take(const char *token) {
    size_t length = strlen(token);
    int there = strncmp(at, token, length) == 0;
    if (there) at += length;
    return there;
}
static uint64_t number(void) {
    if (take("null")) return FLAT_NULL;
    if (take("true")) return 1;
    if (take("false")) return 0;
    need(*at >= '0' && *at <= '9', "a number");
    return strtoull(at, &at, 10);
}
static void text(char *into) { /* cut at FLAT_TEXT */
    size_t length = 0;
    for (need(take("\""), "a text"); *at != '"'; at++) {
        if (*at == '\\') at++; /* only \" and \\ occur */
        need(*at != '\n', "the end of a text");
        if (into != NULL && length < FLAT_TEXT - 1) into[length++] = *at;
    }
    if (into != NULL) into[length] = '\0';
    at++;
}
static void skip(void) { /* a value whose form does not matter here */
    int depth = 0;
    do {
        need(*at != '\n', "a value");
        if (*at == '"') text(NULL);
        else depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}'), at++;
    } while (depth > 0 || strchr(",]}", *at) == NULL);
}
/* Read what has this form: ' stands for ", # for a number, $ for a text and * for any value; all else for itself. A { begins a line. */
static void scan(const char *form, ...) {
    va_list into;
    va_start(into, form);
    if (*form == '{') {
        at = strcpy(line, "the end of the file");
        need(fgets(line, sizeof line, file) != NULL && strchr(line, '\n') != NULL, "a line");
    }
    for (const char *next = form; *next != '\0'; next++) {
        if (*next == '#') *va_arg(into, uint64_t *) = number();
        else if (*next == '$') text(va_arg(into, char *));
        else if (*next == '*') skip();
        else need(*at == (*next == '\'' ? '"' : *next), next), at++;
    }
    va_end(into);
}
static size_t rows(struct flat_run *run, const char *form) {
    size_t count = 0;
    for (need(take("["), "a list"); !take("]"); count++, run++) {
        need(count < FLAT_RUNS && (count == 0 || take(",")), "a run");
        scan(form, &run->first, &run->last, &run->size_bytes, &run->sent_t_ns);
    }
    return count;
}
static void read_event(struct flat_event *event) { /* up to what is expected */
    size_t kind = 0;
    scan("{'line':'event','i':#,'ev':$,'t_ns':#", &event->i, event->ev, &event->t_ns);
    while (kind < sizeof kinds / sizeof kinds[0] && strcmp(kinds[kind][0], event->ev) != 0) kind++;
    need(kind < sizeof kinds / sizeof kinds[0], "a known kind of event");
    event->member_count = 0;
    for (const char *const *name = kinds[kind] + 1; *name != NULL; name++) {
        need(take(",\"") && take(*name) && take("\":"), *name);
        if (strcmp(*name, "packets") == 0) event->packet_count = rows(event->packets, "[#,#,#,#]");
        else if (strcmp(*name, "retransmits") == 0) event->retransmit_count = rows(event->retransmits, "[#,#]");
        else event->members[event->member_count++] = (struct flat_member){*name, number()};
    }
}
uint64_t flat_get(const struct flat_event *event, const char *name) {
    for (size_t i = 0; i < event->member_count; i++)
        if (strcmp(event->members[i].name, name) == 0) return event->members[i].value;
    abort();
}
static int is_allowed(char *allowed, const char *name, uint64_t value) { /* `allowed` is {"name":[1,2],...} */
    char key[FLAT_TEXT];
    int found = 0;
    snprintf(key, sizeof key, "\"%s\":[", name);
    if ((at = strstr(allowed, key)) != NULL)
        for (at += strlen(key); !take("]"); take(",")) found |= number() == value;
    return found;
}
/* Read what is expected, to the end of the line; return whether the controller departs from it, and print where. */
static int differs(const struct flat_case *one, const struct flat_event *event, struct flat_observed observed) {
    static const char *const compared[] = {"cwnd_bytes", "ssthresh_bytes"};
    uint64_t expected[2];
    scan(",'expect':{'cwnd_bytes':#,'ssthresh_bytes':#,'phase':*,'outcome':*,'next_release_ns':*,'trigger':*,'state':*},'allowed':",
         &expected[0], &expected[1]);
    char *allowed = at;
    scan("*}\n");
    for (int i = 0; i < 2; i++)
        if (observed.values[i] != expected[i] && !is_allowed(allowed, compared[i], observed.values[i]))
            return printf("%s, event %" PRIu64 " (%s at %" PRIu64 " ns): %s: expected %" PRIu64 ", observed %" PRIu64 "\n", one->id,
                          event->i, event->ev, event->t_ns, compared[i], expected[i], observed.values[i]);
    return 0;
}
int flat_judge(const char *path, const struct flat_controller *controller) {
    static struct flat_event event;
    static struct flat_case one;
    volatile int differing = 0;
    uint64_t cases;
    if ((file = fopen(path, "r")) == NULL) return perror(path), -1;
    if (setjmp(refused) != 0) return fclose(file), -1;
    scan("{'line':'profile','format':1,'version':*,'algorithm':*,'profile':*,'observables':*,'state':*,'cases':#}\n", &cases);
    for (; cases > 0; cases--) {
        int departed = 0;
        scan("{'line':'case','case':$,'max_datagram_size_bytes':#,'initial_window_bytes':#,'events':#,'granularity':*,'bits':*,"
             "'flags':*,'tier':*,'level':*,'clauses':*,'ours':*,'title':*,'why':*}\n",
             one.id, &one.max_datagram_size_bytes, &one.initial_window_bytes, &one.events);
        controller->begin(controller->self, &one);
        for (uint64_t i = 0; i < one.events; i++) { /* after a difference the case is only read to its end */
            read_event(&event);
            if (!departed) departed = differs(&one, &event, controller->on_event(controller->self, &event)) != 0;
        }
        differing += departed;
    }
    return fclose(file), differing;
}
