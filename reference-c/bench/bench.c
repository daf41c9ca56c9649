/*
 * The slow start of one connection over a path of 150 Mbit/s and 600 ms, with an ACK for every two packets, in closed loop.
 * Usage: bench PROFILE [exit|window|trusted]: slow start and the drain. With "exit" it stops when SEARCH leaves slow
 * start; with "window" it reads only the window; with "trusted" ACKs use the entry point without checks. It prints the
 * number of processed ACKs, the bytes of the state of SEARCH, the kind of end and the final window. Without PROFILE it
 * prints the names of all.
 */
#include <stdio.h>
#include <string.h>

#include "firstflight/controller.h"

#define PACKET_BYTES 1200
#define PACKET_NS UINT64_C(64000) /* 1200 bytes at 150 Mbit/s */
#define RTT_NS UINT64_C(600000000)
#define PACKETS_MAX 1000000

struct packet {
    uint64_t sent_t_ns;
    uint64_t acked_t_ns;
};

static struct packet packets[PACKETS_MAX];

struct path {
    uint64_t free_t_ns; /* when the bottleneck has sent all that has arrived */
    uint64_t next;
};

/* Out of line, so that their calls are counted apart from those for packets sent. */
__attribute__((noinline)) enum ff_status bench_step_on_ack(struct ff_controller *controller, const struct ff_event *event,
                                                           struct ff_observation *seen);
__attribute__((noinline)) enum ff_status bench_window_on_ack(struct ff_controller *controller, const struct ff_event *event);
__attribute__((noinline)) enum ff_status bench_trust_ack(struct ff_controller *controller, const struct ff_event *event);

enum ff_status bench_step_on_ack(struct ff_controller *controller, const struct ff_event *event,
                                 struct ff_observation *seen)
{
    return ff_controller_step(controller, event, seen);
}

enum ff_status bench_window_on_ack(struct ff_controller *controller, const struct ff_event *event)
{
    return ff_controller_step(controller, event, NULL);
}

enum ff_status bench_trust_ack(struct ff_controller *controller, const struct ff_event *event)
{
    return ff_controller_process(controller, event, NULL);
}

/* Let the controller have an ACK by the entry point of the mode. */
static enum ff_status on_ack(const char *mode, struct ff_controller *controller, const struct ff_event *event,
                             struct ff_observation *seen)
{
    enum ff_status status;

    if (strcmp(mode, "window") == 0) {
        status = bench_window_on_ack(controller, event);
    } else if (strcmp(mode, "trusted") == 0) {
        status = bench_trust_ack(controller, event);
    } else {
        return bench_step_on_ack(controller, event, seen);
    }
    ff_newreno_observe(&controller->base, FF_OUTCOME_UNCHANGED, seen);
    return status;
}

static void send_packets(struct ff_controller *controller, struct path *path, uint64_t t_ns, uint64_t acked,
                         uint64_t cwnd_bytes)
{
    uint64_t first = path->next;
    struct ff_observation seen;

    while ((path->next - acked + 1) * PACKET_BYTES <= cwnd_bytes && path->next < PACKETS_MAX) {
        uint64_t start_ns = path->free_t_ns > t_ns ? path->free_t_ns : t_ns;
        path->free_t_ns = start_ns + PACKET_NS;
        packets[path->next++] = (struct packet){t_ns, path->free_t_ns + RTT_NS};
    }
    if (path->next > first) {
        const struct ff_run run = {first, path->next - 1, PACKET_BYTES, t_ns};
        struct ff_event event = {.kind = FF_EVENT_SENT, .t_ns = t_ns};

        event.sent = (struct ff_sent){.packets = &run,
                                      .run_count = 1,
                                      .bytes = (path->next - first) * PACKET_BYTES,
                                      .bytes_in_flight = (path->next - acked) * PACKET_BYTES};
        (void)ff_controller_step(controller, &event, &seen);
    }
}

int main(int argc, char **argv)
{
    const struct ff_config config = {PACKET_BYTES, 0};
    struct ff_controller controller;
    struct ff_observation seen = {0};
    struct path path = {0, 0};
    uint64_t acked = 0;
    unsigned long acks = 0;

    if (argc == 1) {
        for (size_t i = 0; i < FF_SEARCH_PROFILE_COUNT; i++) {
            puts(ff_search_profiles[i].name);
        }
        return 0;
    }
    if (argc < 2 || ff_controller_init(&controller, "search", argv[1], &config) != FF_OK) {
        fprintf(stderr, "usage: bench [PROFILE [exit|window|trusted]]\n");
        return 2;
    }
    const char *mode = argc > 2 ? argv[2] : "";
    send_packets(&controller, &path, 1, 0, controller.base.cwnd_bytes);
    for (; seen.phase == FF_PHASE_SLOW_START && acked + 1 < path.next; acked += 2, acks++) {
        const struct packet *last = &packets[acked + 1];
        uint64_t rtt_ns = last->acked_t_ns - last->sent_t_ns;
        bool one_run = packets[acked].sent_t_ns == last->sent_t_ns; /* both were sent by one event */
        const struct ff_run runs[] = {{acked, one_run ? acked + 1 : acked, PACKET_BYTES, packets[acked].sent_t_ns},
                                      {acked + 1, acked + 1, PACKET_BYTES, last->sent_t_ns}};
        struct ff_event event = ff_event_empty(FF_EVENT_ACK, last->acked_t_ns);

        event.ack.packets = runs;
        event.ack.run_count = one_run ? 1 : 2;
        event.ack.bytes = 2 * PACKET_BYTES;
        event.ack.bytes_in_flight = (path.next - acked - 2) * PACKET_BYTES;
        event.ack.next_packet = path.next;
        event.ack.latest_rtt_ns = rtt_ns;
        event.ack.min_rtt_ns = rtt_ns;
        event.ack.smoothed_rtt_ns = rtt_ns;
        if (on_ack(mode, &controller, &event, &seen) != FF_OK) {
            fprintf(stderr, "ACK %lu was refused\n", acks);
            return 1;
        }
        if (strcmp(mode, "exit") == 0 && seen.outcome == FF_OUTCOME_EXITED) {
            acks++;
            break;
        }
        send_packets(&controller, &path, event.t_ns, acked + 2, seen.cwnd_bytes);
    }
    printf("%lu %zu %s %llu\n", acks, ff_search_state_bytes(&controller.search_readings), ff_outcome_name(seen.outcome),
           (unsigned long long)seen.cwnd_bytes);
    return 0;
}
