/* Strict: the members of a line must be those of pages/flat-format.md in their order; at anything else the reader stops. */
#include "flat.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[][2] = {
    {"sent", "packets bytes bytes_in_flight app_limited retransmits"},
    {"ack", "packets bytes bytes_in_flight next_packet app_limited latest_rtt_ns min_rtt_ns smoothed_rtt_ns ack_delay_ns "
            "oldest_unacked_packet"},
    {"lost", "packets bytes bytes_in_flight next_packet"},
    {"ce", "packet sent_t_ns ce_count"},
    {"backlog", "queued_bytes receive_window_bytes latest_rtt_ns"},
    {"saved_path", "saved_cwnd_bytes saved_rtt_ns endpoint_matches in_use expires_t_ns max_jump_bytes beta_numerator "
                   "beta_denominator"},
    {"persistent_congestion", ""}, {"pto", ""}, {"path_change", ""}, {"spurious_loss", ""}, {"idle_restart", ""},
};
static FILE *file;
static char line[1 << 24];
static const char *at;
static jmp_buf refused;

static void need(int holds, const char *wanted) {
    if (holds) return;
    fprintf(stderr, "flat: %s is needed at: %.60s\n", wanted, at);
    longjmp(refused, 1);
}
static void next_line(void) {
    at = "the end of the file";
    need(fgets(line, sizeof line, file) != NULL && strchr(line, '\n') != NULL, "a line");
    at = line;
}
static int take(const char *token) {
    size_t length = strlen(token);
    int there = strncmp(at, token, length) == 0;
    if (there) at += length;
    return there;
}
static void member(const char *name) { /* the next member has this name */
    need(take(",\"") && take(name) && take("\":"), name);
}
static uint64_t number(void) {
    if (take("null")) return FLAT_NULL;
    if (take("true")) return 1;
    if (take("false")) return 0;
    char *end;
    need(*at >= '0' && *at <= '9', "a number");
    uint64_t value = strtoull(at, &end, 10);
    at = end;
    return value;
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
    if (*at != '[' && *at != '{') {
        if (*at == '"') text(NULL);
        else number();
        return;
    }
    char close = *at++ == '[' ? ']' : '}';
    for (int first = 1; *at != close; first = 0) {
        need(first || take(","), "a comma");
        if (close == '}') text(NULL), need(take(":"), "a colon");
        skip();
    }
    at++;
}
static size_t rows(struct flat_run *run, int columns) {
    size_t count = 0;
    for (need(take("["), "a list"); !take("]"); count++) {
        uint64_t row[4] = {0, 0, 0, 0};
        for (int i = 0; i < columns; i++) {
            need(take(i > 0 ? "," : count > 0 ? ",[" : "["), "a run");
            row[i] = number();
        }
        need(take("]") && count < FLAT_RUNS, "the end of the run");
        run[count] = (struct flat_run){row[0], row[1], row[2], row[3]};
    }
    return count;
}
static void read_case(struct flat_case *one) {
    static const char *const others[] = {"granularity", "bits", "flags", "tier", "level", "clauses", "ours", "title", "why"};
    next_line();
    need(take("{\"line\":\"case\""), "a case");
    member("case"), text(one->id);
    member("max_datagram_size_bytes"), one->max_datagram_size_bytes = number();
    member("initial_window_bytes"), one->initial_window_bytes = number();
    member("events"), one->events = number();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) member(others[i]), skip();
    need(take("}\n"), "the end of the line");
}
static void read_event(struct flat_event *event) { /* up to what is expected */
    size_t kind = 0;
    next_line();
    need(take("{\"line\":\"event\""), "an event");
    member("i"), event->i = number();
    member("ev"), text(event->ev);
    while (kind < sizeof kinds / sizeof kinds[0] && strcmp(kinds[kind][0], event->ev) != 0) kind++;
    need(kind < sizeof kinds / sizeof kinds[0], "a known kind of event");
    member("t_ns"), event->t_ns = number();
    event->member_count = 0;
    for (const char *word = kinds[kind][1]; *word != '\0'; word += strspn(word, " ")) {
        char *name = event->members[event->member_count].name;
        sscanf(word, "%119s", name);
        word += strlen(name);
        member(name);
        if (strcmp(name, "packets") == 0) event->packet_count = rows(event->packets, 4);
        else if (strcmp(name, "retransmits") == 0) event->retransmit_count = rows(event->retransmits, 2);
        else event->members[event->member_count++].value = number();
    }
}
uint64_t flat_get(const struct flat_event *event, const char *name) {
    for (size_t i = 0; i < event->member_count; i++)
        if (strcmp(event->members[i].name, name) == 0) return event->members[i].value;
    abort();
}
static int is_allowed(const char *allowed, const char *name, uint64_t value) { /* `allowed` is {"name":[1,2],...} */
    char key[FLAT_TEXT];
    const char *end = at;
    int found = 0;
    snprintf(key, sizeof key, "\"%s\":[", name);
    if ((at = strstr(allowed, key)) != NULL)
        for (at += strlen(key); !take("]"); take(",")) found |= number() == value;
    at = end;
    return found;
}
/* Read what is expected, to the end of the line; return whether the controller departs from it, and print where. */
static int differs(const struct flat_case *one, const struct flat_event *event, struct flat_observed observed) {
    static const char *const compared[] = {"cwnd_bytes", "ssthresh_bytes"};
    static const char *const others[] = {"phase", "outcome", "next_release_ns", "trigger", "state"};
    uint64_t expected[2];
    need(take(",\"expect\":{\"cwnd_bytes\":"), "expect");
    expected[0] = number();
    member("ssthresh_bytes"), expected[1] = number();
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) member(others[i]), skip();
    need(take("},\"allowed\":"), "allowed");
    const char *allowed = at;
    skip(), need(take("}\n"), "the end of the line");
    for (int i = 0; i < 2; i++)
        if (observed.values[i] != expected[i] && !is_allowed(allowed, compared[i], observed.values[i]))
            return printf("%s, event %" PRIu64 " (%s at %" PRIu64 " ns): %s: expected %" PRIu64 ", observed %" PRIu64 "\n", one->id,
                          event->i, event->ev, event->t_ns, compared[i], expected[i], observed.values[i]);
    return 0;
}
int flat_judge(const char *path, const struct flat_controller *controller) {
    static const char *const header[] = {"version", "algorithm", "profile", "observables", "state"};
    static struct flat_event event;
    static struct flat_case one;
    volatile int differing = 0;
    if ((file = fopen(path, "r")) == NULL) return perror(path), -1;
    if (setjmp(refused) != 0) return fclose(file), -1;
    next_line();
    need(take("{\"line\":\"profile\",\"format\":1"), "a profile of format 1");
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) member(header[i]), skip();
    member("cases");
    for (uint64_t cases = number(); cases > 0; cases--) {
        int departed = 0;
        read_case(&one);
        controller->begin(controller->self, &one);
        for (uint64_t i = 0; i < one.events; i++) { /* after a difference the case is only read to its end */
            read_event(&event);
            if (!departed) departed = differs(&one, &event, controller->on_event(controller->self, &event)) != 0;
        }
        differing += departed;
    }
    return fclose(file), differing;
}
