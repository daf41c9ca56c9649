/* A toy controller in the place of yours, judged by the vectors of RFC 9002, the loader by broken files: newreno_test FLAT BROKEN. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat.h"

/* RFC 9002, section 7 and appendix B. app_limited_grows is a mistake, planted for the test. */
struct newreno {
    uint64_t datagram, cwnd, ssthresh, recovery_start;
    bool app_limited_grows;
};

static uint64_t at_least(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void begin(void *self, const struct flat_case *from) {
    struct newreno *c = self;
    uint64_t ten = 10 * from->max_datagram_size_bytes, bound = at_least(14720, 2 * from->max_datagram_size_bytes);
    c->datagram = from->max_datagram_size_bytes;
    c->cwnd = from->initial_window_bytes != FLAT_NULL ? from->initial_window_bytes : ten < bound ? ten : bound;
    c->ssthresh = FLAT_NULL;
    c->recovery_start = 0;
}

static void on_packet_acked(struct newreno *c, uint64_t size, uint64_t sent) {
    const uint64_t largest = (UINT64_C(1) << 62) - 1;
    if (sent <= c->recovery_start) return;
    c->cwnd += c->cwnd < c->ssthresh ? size : c->datagram * size / c->cwnd;
    if (c->cwnd > largest) c->cwnd = largest;
}

static void on_congestion(struct newreno *c, uint64_t sent, uint64_t now) {
    if (sent <= c->recovery_start) return;
    c->recovery_start = now;
    c->ssthresh = c->cwnd / 2;
    c->cwnd = at_least(c->ssthresh, 2 * c->datagram);
}

static struct flat_observed on_event(void *self, const struct flat_event *event) {
    struct newreno *c = self;
    if (strcmp(event->ev, "ack") == 0 && (c->app_limited_grows || !flat_get(event, "app_limited"))) {
        for (size_t i = 0; i < event->packet_count; i++)
            for (uint64_t packet = event->packets[i].first; packet <= event->packets[i].last; packet++)
                on_packet_acked(c, event->packets[i].size_bytes, event->packets[i].sent_t_ns);
    } else if (strcmp(event->ev, "lost") == 0) {
        uint64_t latest = 0;
        for (size_t i = 0; i < event->packet_count; i++) latest = at_least(latest, event->packets[i].sent_t_ns);
        on_congestion(c, latest, event->t_ns);
    } else if (strcmp(event->ev, "ce") == 0) {
        on_congestion(c, flat_get(event, "sent_t_ns"), event->t_ns);
    } else if (strcmp(event->ev, "persistent_congestion") == 0) {
        c->cwnd = 2 * c->datagram;
        c->recovery_start = 0;
    }
    return (struct flat_observed){{c->cwnd, c->ssthresh}};
}

static int failed;

static void check(const char *what, bool holds) {
    printf("%s  %s\n", holds ? "ok    " : "FAILED", what);
    failed |= !holds;
}

/* Judge the broken files: each must lead to the verdict beside its name. */
static int broken(const char *folder, const struct flat_controller *controller) {
    char name[256], wanted[16], path[4096 + sizeof name];
    int count = 0;
    snprintf(path, sizeof path, "%s/verdicts.tsv", folder);
    FILE *verdicts = fopen(path, "r");
    for (; verdicts != NULL && fscanf(verdicts, "%255s %15s", name, wanted) == 2; count++) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        int found = flat_judge(path, controller);
        check(name, strcmp(found < 0 ? "refused" : found > 0 ? "differs" : "agrees", wanted) == 0);
    }
    if (verdicts != NULL) fclose(verdicts);
    return count;
}

int main(int argc, char **argv) {
    struct newreno newreno = {0};
    struct flat_controller controller = {&newreno, begin, on_event};
    char path[4096];
    snprintf(path, sizeof path, "%s/slow-start/rfc-9002.ndjson", argc > 1 ? argv[1] : "../../flat");
    check("a right controller agrees", flat_judge(path, &controller) == 0);
    newreno.app_limited_grows = true;
    check("a mistake is found", flat_judge(path, &controller) > 0);
    newreno.app_limited_grows = false;
    check("broken files are there", broken(argc > 2 ? argv[2] : "../broken", &controller) > 0);
    return failed;
}
