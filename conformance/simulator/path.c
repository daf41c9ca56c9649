/* The bottleneck, a link with a queue; and the receiver, which acknowledges. Both only compute; others schedule. Twin: simulator/path.py. */
#include "parts.h"

#define NS UINT64_C(1000000000)

/* Return the next number of splitmix64 (spec/prng.md). */
static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool chance_ppm(uint64_t *state, uint64_t p)
{
    return next_random(state) % 1000000 < p;
}

/* Return the delay of a packet that leaves the link so long after the start, without jitter. */
uint64_t sim_forward_delay_at(const struct sim_scenario *link, uint64_t since_start_ns)
{
    uint64_t longer_ns = 0;

    for (uint64_t i = 0; i < link->step_count && since_start_ns >= link->steps[i].at_ns; i++) {
        longer_ns = link->steps[i].longer_ns;
    }
    return link->forward_delay_ns + longer_ns;
}

/* Return how long the link serves a packet, rounded up. 8 * 10^9 * (2^16 - 1) < 2^49. */
static uint64_t service_ns(const struct sim_scenario *link, uint64_t size_bytes)
{
    return (8 * NS * size_bytes + link->rate_bps - 1) / link->rate_bps;
}

/* Let those packets leave the queue whose service has begun. */
static void leave(struct sim_bottleneck *bottleneck, uint64_t now_ns)
{
    while (bottleneck->waiting_packets > 0 && bottleneck->waiting[bottleneck->head].service_starts_ns <= now_ns) {
        bottleneck->waiting_bytes -= bottleneck->waiting[bottleneck->head].size_bytes;
        bottleneck->head = (bottleneck->head + 1) % bottleneck->capacity;
        bottleneck->waiting_packets--;
    }
}

static void wait(struct sim_bottleneck *bottleneck, uint64_t service_starts_ns, uint64_t size_bytes)
{
    size_t old = bottleneck->capacity;

    if (bottleneck->waiting_packets == old) {
        bottleneck->waiting =
            sim_grow(bottleneck->room, bottleneck->waiting, &bottleneck->capacity, old, sizeof *bottleneck->waiting);
        /* What had gone round the end of the ring goes on behind it. */
        for (size_t i = 0; i < bottleneck->head; i++) {
            bottleneck->waiting[old + i] = bottleneck->waiting[i];
        }
    }
    size_t place = (bottleneck->head + bottleneck->waiting_packets++) % bottleneck->capacity;
    bottleneck->waiting[place] = (struct sim_waiting){service_starts_ns, size_bytes};
    bottleneck->waiting_bytes += size_bytes;
}

/* Take a packet; return when it arrives at the receiver, SIM_NONE if it never does. */
uint64_t sim_bottleneck_carry(struct sim_bottleneck *bottleneck, uint64_t now_ns, uint64_t size_bytes)
{
    const struct sim_scenario *link = bottleneck->link;
    uint64_t service_starts_ns = now_ns > bottleneck->busy_until_ns ? now_ns : bottleneck->busy_until_ns;

    leave(bottleneck, now_ns);
    if (service_starts_ns > now_ns) {
        if (bottleneck->waiting_bytes + size_bytes > link->queue_bytes) {
            bottleneck->dropped_packets++;
            return SIM_NONE;
        }
        wait(bottleneck, service_starts_ns, size_bytes);
    }
    bottleneck->busy_until_ns = service_starts_ns + service_ns(link, size_bytes);
    if (link->loss_ppm > 0 && chance_ppm(&bottleneck->loss, link->loss_ppm)) {
        bottleneck->lost_packets++;
        return SIM_NONE;
    }
    uint64_t arrival_ns =
        bottleneck->busy_until_ns + sim_forward_delay_at(link, bottleneck->busy_until_ns - bottleneck->origin_ns);
    if (link->jitter_ns > 0) {
        arrival_ns += next_random(&bottleneck->jitter) % (link->jitter_ns + 1);
    }
    if (arrival_ns > bottleneck->last_arrival_ns) {
        bottleneck->last_arrival_ns = arrival_ns;
    }
    return bottleneck->last_arrival_ns;
}

/* Take a packet; return whether an ACK is due at once. Otherwise one is due at `deadline_ns`. */
bool sim_ack_policy_arrived(struct sim_ack_policy *acks, uint64_t now_ns, uint64_t packet)
{
    struct sim_ack_frame *pending = &acks->pending;
    bool in_order = packet == acks->next_packet;

    if (pending->range_count > 0 && in_order) {
        pending->ranges[pending->range_count - 1].last = packet;
    } else {
        pending->ranges[pending->range_count++] = (struct ff_range){packet, packet};
    }
    acks->pending_packets++;
    acks->next_packet = packet + 1;
    acks->largest_arrival_ns = now_ns;
    if (!in_order || acks->pending_packets >= acks->receiver->ack_every_packets) {
        return true;
    }
    if (acks->deadline_ns == SIM_NONE) {
        acks->deadline_ns = now_ns + acks->receiver->max_ack_delay_ns;
    }
    return false;
}

/* Return what is newly acknowledged; nothing is pending then. */
struct sim_ack_frame sim_ack_policy_acknowledge(struct sim_ack_policy *acks, uint64_t now_ns)
{
    struct sim_ack_frame frame = acks->pending;

    frame.ack_delay_ns = now_ns - acks->largest_arrival_ns;
    acks->pending.range_count = 0;
    acks->pending_packets = 0;
    acks->deadline_ns = SIM_NONE;
    return frame;
}
