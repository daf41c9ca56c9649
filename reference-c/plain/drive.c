/*
 * Drives a plain header by lines of text, for tests: `drive search_draft_09` reads
 *
 *     begin MAX_DATAGRAM_SIZE
 *     sent BYTES
 *     restart
 *     ack NOW_NS RTT_NS HAS_RTT BYTES PACKETS BYTES_IN_FLIGHT CWND SLOW_START
 *
 * and answers each ACK in slow start with the number of the outcome and the window. It is C and C++.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "search_draft_09.h"
#include "search_lanman_2024.h"

struct line {
    uint64_t now_ns, rtt_ns, has_rtt, bytes, packets, bytes_in_flight, cwnd, slow_start;
};

static struct search_lanman_2024 lanman_2024;
static struct search_draft_09 draft_09;
static uint64_t max_datagram_size;

static int ack_lanman_2024(struct line *line) {
    if (line->has_rtt)
        search_lanman_2024_rtt(&lanman_2024, line->rtt_ns);
    if (!line->slow_start)
        return 0;
    return (int)search_lanman_2024_on_ack(&lanman_2024, line->now_ns, line->bytes, &line->cwnd, 2 * max_datagram_size);
}

static int ack_draft_09(struct line *line) {
    search_draft_09_count(&draft_09, line->bytes);
    if (line->has_rtt)
        search_draft_09_rtt(&draft_09, line->rtt_ns);
    if (!line->slow_start)
        return 0;
    return (int)search_draft_09_on_ack(&draft_09, line->now_ns, line->packets, line->bytes_in_flight, &line->cwnd);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "sizes") == 0)
        return printf("%zu %zu\n", sizeof lanman_2024, sizeof draft_09) < 0;
    int (*ack)(struct line *) = argc == 2 && strcmp(argv[1], "search_draft_09") == 0 ? ack_draft_09 : ack_lanman_2024;
    char text[256];
    while (fgets(text, sizeof text, stdin)) {
        struct line line;
        uint64_t number;
        if (sscanf(text, "begin %" SCNu64, &number) == 1) {
            max_datagram_size = number;
            search_lanman_2024_begin(&lanman_2024);
            search_draft_09_begin(&draft_09, (uint32_t)number);
        } else if (sscanf(text, "sent %" SCNu64, &number) == 1) {
            search_draft_09_on_sent(&draft_09, number);
        } else if (strcmp(text, "restart\n") == 0) {
            search_lanman_2024_restart(&lanman_2024);
            search_draft_09_restart(&draft_09);
        } else if (sscanf(text,
                          "ack %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                          &line.now_ns, &line.rtt_ns, &line.has_rtt, &line.bytes, &line.packets, &line.bytes_in_flight,
                          &line.cwnd, &line.slow_start) == 8) {
            int outcome = ack(&line);
            if (line.slow_start) {
                printf("%d %" PRIu64 "\n", outcome, line.cwnd);
                fflush(stdout);
            }
        } else {
            fprintf(stderr, "not understood: %s", text);
            return 2;
        }
    }
    return 0;
}
