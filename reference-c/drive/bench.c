/*
 * A connection over a path of 150 Mbit/s and 600 ms, with an ACK for every two packets, in closed loop, for a plain header.
 * Usage: bench [exit]: slow start, up to its end or 60000 ACKs, then a loss, then the drain or 2000 ACKs. With "exit"
 * it runs only the first part. It prints the number of processed ACKs, the bytes of state, the phase and the window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive.h"

#define PACKET_BYTES 1200
#define PACKET_NS 64000 /* 1200 bytes at 150 Mbit/s */
#define RTT_NS UINT64_C(600000000)
#define PACKETS_MAX 1000000
#define ACKS_MAX 60000

static uint64_t sent_t_ns[PACKETS_MAX], acked_t_ns[PACKETS_MAX], free_t_ns, next, acked;
static struct drive_event event;

static struct drive_answer step(enum drive_kind kind, uint64_t t_ns) {
    event.kind = kind;
    event.t_ns = t_ns;
    event.bytes_in_flight = (next - acked) * PACKET_BYTES;
    event.next_packet = event.oldest_unacked_packet = next;
    return drive_on_event(&event);
}

static void set_run(uint64_t index, uint64_t first, uint64_t last) {
    event.runs[index].first = first;
    event.runs[index].last = last;
    event.runs[index].size_bytes = PACKET_BYTES;
    event.runs[index].sent_t_ns = sent_t_ns[first];
}

static void send_packets(uint64_t t_ns, uint64_t cwnd_bytes) {
    uint64_t first = next;
    for (; (next - acked + 1) * PACKET_BYTES <= cwnd_bytes && next < PACKETS_MAX; next++) {
        free_t_ns = (free_t_ns > t_ns ? free_t_ns : t_ns) + PACKET_NS;
        sent_t_ns[next] = t_ns;
        acked_t_ns[next] = free_t_ns + RTT_NS;
    }
    if (next > first) {
        event.run_count = 1;
        event.bytes = (next - first) * PACKET_BYTES;
        set_run(0, first, next - 1);
        step(SENT, t_ns);
    }
}

static struct drive_answer on_ack(void) {
    set_run(0, acked, acked);
    set_run(1, acked + 1, acked + 1);
    event.run_count = 2;
    event.bytes = 2 * PACKET_BYTES;
    event.latest_rtt_ns = event.smoothed_rtt_ns = acked_t_ns[acked + 1] - sent_t_ns[acked + 1];
    acked += 2;
    struct drive_answer answer = step(ACK, acked_t_ns[acked - 1]);
    send_packets(event.t_ns, answer.cwnd_bytes);
    return answer;
}

/* The handshake gave an RTT, a path is remembered, and data waits. */
static void begin(void) {
    drive_begin(PACKET_BYTES, 0);
    event.latest_rtt_ns = event.min_rtt_ns = event.saved_rtt_ns = RTT_NS;
    event.saved_cwnd_bytes = event.queued_bytes = event.receive_window_bytes = 2000000;
    event.expires_t_ns = event.max_jump_bytes = DRIVE_NONE;
    event.beta_numerator = event.endpoint_matches = 1;
    event.beta_denominator = 2;
    step(SAVED_PATH, 1);
    struct drive_answer answer = step(BACKLOG, 1);
    send_packets(1, answer.cwnd_bytes);
}

/* SEARCH leaves by itself; where no slow start ends on this path, 60000 ACKs are enough. */
static int drive_exited(struct drive_answer answer) {
    return strncmp(answer.header, "search", 6) == 0 && answer.outcome == 7;
}

int main(int argc, char **argv) {
    int only_first = argc > 1 && strcmp(argv[1], "exit") == 0;
    unsigned long acks = 0;
    struct drive_answer answer;
    begin();
    do {
        answer = on_ack();
        acks++;
    } while (answer.ssthresh_bytes == DRIVE_NONE && !drive_exited(answer) && acks < ACKS_MAX);
    if (!only_first) {
        int drains = drive_exited(answer) && answer.ssthresh_bytes == DRIVE_NONE;
        if (answer.ssthresh_bytes == DRIVE_NONE && !drains) {
            set_run(0, acked, acked);
            event.run_count = 1;
            event.bytes = PACKET_BYTES;
            step(LOST, event.t_ns);
        }
        for (unsigned long end = acks + 2000; acked + 1 < next && (drains ? strcmp(answer.phase, "slow_start") == 0 : acks < end); acks++)
            answer = on_ack();
    }
    printf("%lu %zu %s %" PRIu64 "\n", acks, drive_state_bytes, answer.phase, answer.cwnd_bytes);
    return 0;
}
