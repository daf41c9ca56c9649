/* The bottleneck, a link with a queue; and the ACK policy of the receiver. Both only compute; the callers schedule. */
#include "parts.h"

#define NS UINT64_C(1000000000)

/* Purposes of the seed (spec/simulator.md). */
enum { LOSS = 1, JITTER = 2, EARLY_DROP = 3 };

struct waiting {
    uint64_t service_starts_ns;
    uint64_t size_bytes;
};

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

/* Return the delay, without jitter, of a packet that leaves the link `since_start_ns` after the start. */
uint64_t sim_forward_delay_at(const struct sim_link *link, uint64_t since_start_ns)
{
    uint64_t longer_ns = 0;

    for (uint64_t i = 0; i < link->step_count && since_start_ns >= link->steps[i].at_ns; i++) {
        longer_ns = link->steps[i].longer_ns;
    }
    return link->forward_delay_ns + longer_ns;
}

/* Return the service time of a packet, rounded up. 8 * 10^9 * (2^16 + 2^16) < 2^50. */
static uint64_t service_ns(const struct sim_link *link, uint64_t size_bytes)
{
    return (8 * NS * size_bytes + link->rate_bps - 1) / link->rate_bps;
}

struct sim_bottleneck sim_bottleneck(const struct sim_link *link, uint64_t seed, struct sim_memory *memory)
{
    return (struct sim_bottleneck){
        .link = link,
        .origin_ns = SIM_ORIGIN_NS,
        .waiting = {.memory = memory, .item_size = sizeof(struct waiting)},
        .loss = seed ^ LOSS,
        .jitter = seed ^ JITTER,
        .early = seed ^ EARLY_DROP,
    };
}

/* Remove the packets whose service has begun from the queue. */
void sim_bottleneck_leave(struct sim_bottleneck *bottleneck, uint64_t now_ns)
{
    while (bottleneck->waiting.count > 0) {
        const struct waiting *first = sim_ring_first(&bottleneck->waiting);
        if (first->service_starts_ns > now_ns) {
            return;
        }
        bottleneck->waiting_bytes -= first->size_bytes;
        sim_ring_drop(&bottleneck->waiting);
    }
}

/* Return whether the queue accepts a packet that has to wait. */
static bool takes(struct sim_bottleneck *bottleneck, uint64_t size_bytes)
{
    const struct sim_link *link = bottleneck->link;
    bool full = link->queue_packets != SIM_NONE ? bottleneck->waiting.count >= link->queue_packets
                                                : bottleneck->waiting_bytes + size_bytes > link->queue_bytes;

    if (full) {
        return false;
    }
    if (link->early_drop_ppm > 0 && bottleneck->waiting_bytes > link->early_drop_above_bytes &&
        chance_ppm(&bottleneck->early, link->early_drop_ppm)) {
        bottleneck->early_dropped_packets++;
        return false;
    }
    return true;
}

/* Enqueue a packet; return its arrival time at the receiver, or SIM_NONE if it is dropped or lost. */
uint64_t sim_bottleneck_carry(struct sim_bottleneck *bottleneck, uint64_t now_ns, uint64_t size_bytes)
{
    const struct sim_link *link = bottleneck->link;
    uint64_t service_starts_ns = now_ns > bottleneck->busy_until_ns ? now_ns : bottleneck->busy_until_ns;

    sim_bottleneck_leave(bottleneck, now_ns);
    if (service_starts_ns > now_ns) {
        if (!takes(bottleneck, size_bytes)) {
            bottleneck->dropped_packets++;
            return SIM_NONE;
        }
        *(struct waiting *)sim_ring_add(&bottleneck->waiting) = (struct waiting){service_starts_ns, size_bytes};
        bottleneck->waiting_bytes += size_bytes;
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

/* Process an arrived packet; return whether an ACK is due at once. Otherwise an ACK is due at `deadline_ns`. */
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
    if (!in_order || acks->pending_packets >= acks->receiver->ack_every_packets ||
        (packet == 0 && acks->receiver->first_at_once)) {
        return true;
    }
    if (acks->deadline_ns == SIM_NONE) {
        acks->deadline_ns = now_ns + acks->receiver->max_ack_delay_ns;
    }
    return false;
}

/* Return an ACK of the pending packets, and clear them. */
struct sim_ack_frame sim_ack_policy_acknowledge(struct sim_ack_policy *acks, uint64_t now_ns)
{
    struct sim_ack_frame frame = acks->pending;

    frame.ack_delay_ns = now_ns - acks->largest_arrival_ns;
    acks->pending.range_count = 0;
    acks->pending_packets = 0;
    acks->deadline_ns = SIM_NONE;
    return frame;
}
