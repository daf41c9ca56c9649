/* A toy controller in the place of yours, judged by the vectors of RFC 9002, the loader by broken files: newreno_test FLAT BROKEN. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"

/* RFC 9002, section 7 and appendix B. app_limited_grows and stays_in_recovery are mistakes, planted for the test. */
struct newreno {
    uint64_t datagram, cwnd, configured, ssthresh, recovery_start, path_start;
    bool in_recovery, app_limited_grows, stays_in_recovery;
};

static uint64_t at_least(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t initial_window(uint64_t datagram) {
    uint64_t bound = at_least(14720, 2 * datagram);
    return 10 * datagram < bound ? 10 * datagram : bound;
}

static void begin_path(struct newreno *c, uint64_t now) {
    c->cwnd = c->configured != FLAT_NULL ? c->configured : initial_window(c->datagram);
    c->ssthresh = FLAT_NULL;
    c->recovery_start = 0;
    c->in_recovery = false;
    c->path_start = now;
}

static void begin(void *self, const struct flat_case *from) {
    struct newreno *c = self;
    c->datagram = from->max_datagram_size_bytes;
    c->configured = from->initial_window_bytes;
    begin_path(c, 0);
}

static int is_old(const struct newreno *c, uint64_t sent) { return sent <= at_least(c->recovery_start, c->path_start); }

static void on_packet_acked(struct newreno *c, uint64_t size, uint64_t sent) {
    const uint64_t largest = (UINT64_C(1) << 62) - 1;
    if (is_old(c, sent)) return;
    c->cwnd += c->cwnd < c->ssthresh ? size : c->datagram * size / c->cwnd;
    if (c->cwnd > largest) c->cwnd = largest;
}

static void on_congestion(struct newreno *c, uint64_t sent, uint64_t now) {
    if (is_old(c, sent)) return;
    c->recovery_start = now;
    c->in_recovery = true;
    c->ssthresh = c->cwnd / 2;
    c->cwnd = at_least(c->ssthresh, 2 * c->datagram);
}

static struct flat_observed on_event(void *self, const struct flat_event *event) {
    struct newreno *c = self;
    if (strcmp(event->ev, "ack") == 0 && !flat_get(event, "not_in_flight")) {
        bool grows = c->app_limited_grows || !flat_get(event, "app_limited");
        for (size_t i = 0; i < event->packet_count; i++) {
            const struct flat_run *run = &event->packets[i];
            c->in_recovery = c->in_recovery && (run->sent_t_ns <= c->recovery_start || c->stays_in_recovery);
            for (uint64_t packet = run->first; grows && packet <= run->last; packet++)
                on_packet_acked(c, run->size_bytes, run->sent_t_ns);
        }
    } else if (strcmp(event->ev, "lost") == 0 && !flat_get(event, "pmtu_probe")) { /* ignore lost PMTU probes */
        uint64_t latest = 0;
        for (size_t i = 0; i < event->packet_count; i++) latest = at_least(latest, event->packets[i].sent_t_ns);
        on_congestion(c, latest, event->t_ns);
    } else if (strcmp(event->ev, "ce") == 0) {
        on_congestion(c, flat_get(event, "sent_t_ns"), event->t_ns);
    } else if (strcmp(event->ev, "persistent_congestion") == 0) {
        c->cwnd = 2 * c->datagram;
        c->recovery_start = 0;
        c->in_recovery = false;
    } else if (strcmp(event->ev, "path_change") == 0) {
        begin_path(c, event->t_ns);
    } else if (strcmp(event->ev, "datagram_size") == 0) {
        bool smaller = flat_get(event, "max_datagram_size_bytes") < c->datagram;
        c->datagram = flat_get(event, "max_datagram_size_bytes");
        uint64_t first = initial_window(c->datagram);
        if (smaller && flat_get(event, "handshake") && first < c->cwnd) c->cwnd = first;
    }
    return (struct flat_observed){{
        {"cwnd_bytes", c->cwnd, NULL},
        {"ssthresh_bytes", c->ssthresh, NULL},
        {"phase", 0, c->in_recovery ? "recovery" : c->cwnd < c->ssthresh ? "slow_start" : "congestion_avoidance"},
        {"recovery_start_ns", c->recovery_start > 0 ? c->recovery_start : FLAT_NULL, NULL},
    }};
}

static int failed;

static void check(const char *what, bool holds) {
    printf("%s  %s\n", holds ? "ok    " : "FAILED", what);
    failed |= !holds;
}

static const char *verdict(const char *path, const struct flat_controller *controller) {
    int open = 0, found = flat_judge(path, controller, &open);
    return found < 0 ? "refused" : found > 0 ? "differs" : open > 0 ? "open" : "agrees";
}

/* Judge the broken files: each must lead to the verdict next to its name. */
static int broken(const char *folder, const struct flat_controller *controller) {
    char name[256], wanted[16], path[4096 + sizeof name];
    int count = 0;
    snprintf(path, sizeof path, "%s/verdicts.tsv", folder);
    FILE *verdicts = fopen(path, "r");
    for (; verdicts != NULL && fscanf(verdicts, "%255s %15s", name, wanted) == 2; count++) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        check(name, strcmp(verdict(path, controller), wanted) == 0);
    }
    if (verdicts != NULL) fclose(verdicts);
    return count;
}

/* The controller whose answers to the events of a profile are a file's lines, one for each event: window, threshold and phase. */
struct recorded { FILE *rows; char phase[FLAT_TEXT]; };

static void nothing(void *self, const struct flat_case *from) { (void)self, (void)from; }

static struct flat_observed on_recorded(void *self, const struct flat_event *event) {
    struct recorded *c = self;
    char cwnd[32] = "", ssthresh[32] = "";
    (void)event;
    if (fscanf(c->rows, "%31s %31s %119s", cwnd, ssthresh, c->phase) != 3) abort();
    return (struct flat_observed){{
        {"cwnd_bytes", strtoull(cwnd, NULL, 10), NULL},
        {"ssthresh_bytes", strcmp(ssthresh, "null") == 0 ? FLAT_NULL : strtoull(ssthresh, NULL, 10), NULL},
        {"phase", 0, c->phase},
    }};
}

/* Judge the answers of other controllers: each file must lead to the verdict of the list. */
static int answers(const char *folder, const char *flat) {
    char profile[256], name[256], wanted[16], path[4096 + sizeof name];
    int count = 0;
    snprintf(path, sizeof path, "%s/verdicts.tsv", folder);
    FILE *verdicts = fopen(path, "r");
    for (; verdicts != NULL && fscanf(verdicts, "%255s %255s %15s", profile, name, wanted) == 3; count++) {
        struct recorded recorded = {0};
        struct flat_controller controller = {&recorded, nothing, on_recorded};
        snprintf(path, sizeof path, "%s/%s", folder, name);
        recorded.rows = fopen(path, "r");
        snprintf(path, sizeof path, "%s/%s.ndjson", flat, profile);
        check(name, recorded.rows != NULL && strcmp(verdict(path, &controller), wanted) == 0);
        if (recorded.rows != NULL) fclose(recorded.rows);
    }
    if (verdicts != NULL) fclose(verdicts);
    return count;
}

int main(int argc, char **argv) {
    struct newreno newreno = {0};
    struct flat_controller controller = {&newreno, begin, on_event};
    const char *flat = argc > 1 ? argv[1] : "../../flat", *recorded = getenv("FIRSTFLIGHT_ANSWERS");
    char path[4096];
    snprintf(path, sizeof path, "%s/slow-start/rfc-9002.ndjson", flat);
    check("a right controller agrees", strcmp(verdict(path, &controller), "agrees") == 0);
    newreno.app_limited_grows = true;
    check("a mistake is found", strcmp(verdict(path, &controller), "differs") == 0);
    newreno.app_limited_grows = false, newreno.stays_in_recovery = true;
    check("a wrong phase is found", strcmp(verdict(path, &controller), "differs") == 0);
    newreno.stays_in_recovery = false;
    check("broken files are there", broken(argc > 2 ? argv[2] : "../broken", &controller) > 0);
    if (recorded != NULL) check("answers are there", answers(recorded, flat) > 0);
    return failed;
}
