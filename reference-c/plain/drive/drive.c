/*
 * Drives a plain header by numbers on stdin, for tests: "begin MAX_DATAGRAM_SIZE INITIAL_WINDOW", and for each event the number of its kind
 * and those of struct drive_event in their order, the runs and the retransmitted ranges last. Each event is answered by a line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive.h"

static struct drive_event event;

static int number(uint64_t *value) { return scanf("%" SCNu64, value) == 1; }

static int read_event(void) {
    uint64_t *fields[] = {&event.t_ns, &event.bytes, &event.bytes_in_flight, &event.app_limited, &event.next_packet,
                          &event.latest_rtt_ns, &event.min_rtt_ns, &event.smoothed_rtt_ns, &event.oldest_unacked_packet, &event.packet,
                          &event.sent_t_ns, &event.queued_bytes, &event.receive_window_bytes, &event.saved_cwnd_bytes,
                          &event.saved_rtt_ns, &event.endpoint_matches, &event.in_use, &event.expires_t_ns, &event.max_jump_bytes,
                          &event.beta_numerator, &event.beta_denominator, &event.run_count, &event.retransmit_count};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (!number(fields[i]))
            return 0;
    if (event.run_count > DRIVE_RUNS || event.retransmit_count > DRIVE_RUNS)
        return 0;
    for (uint64_t i = 0; i < event.run_count; i++)
        if (!number(&event.runs[i].first) || !number(&event.runs[i].last) || !number(&event.runs[i].size_bytes) ||
            !number(&event.runs[i].sent_t_ns))
            return 0;
    for (uint64_t i = 0; i < event.retransmit_count; i++)
        if (!number(&event.retransmits[i].first) || !number(&event.retransmits[i].last))
            return 0;
    return 1;
}

int main(void) {
    char word[8];
    while (scanf("%7s", word) == 1) {
        uint64_t kind;
        if (strcmp(word, "size") == 0) {
            printf("%zu\n", drive_state_bytes);
        } else if (strcmp(word, "begin") == 0) {
            uint64_t max_datagram_size, initial_window;
            if (!number(&max_datagram_size) || !number(&initial_window))
                return 2;
            drive_begin((uint32_t)max_datagram_size, initial_window);
        } else if (strcmp(word, "event") == 0 && number(&kind) && read_event()) {
            event.kind = (enum drive_kind)kind;
            struct drive_answer answer = drive_on_event(&event);
            if (!drive_holds(&event)) {
                fprintf(stderr, "the invariant does not hold\n");
                return 3;
            }
            printf("%s %d %" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n", answer.header, answer.outcome, answer.cwnd_bytes,
                   answer.ssthresh_bytes, answer.phase, answer.next_release_ns, answer.triggers);
        } else {
            fprintf(stderr, "not understood: %s\n", word);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}
