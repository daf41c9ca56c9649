/* Links that packets cross one after another: the shared bottleneck, and the links around it. */
#include "firstflight/wide.h"
#include "parts.h"

#define NS UINT64_C(1000000000)

/*
 * Latest time when a packet may leave a link. Only a link that accepts every packet could exceed it: windows bound the
 * packets of a way, but windows are unbounded.
 */
#define LAST_NS (UINT64_C(1) << 59)

/* Return the transmission time, rounded to the nearest ns; a half is rounded down if the binary fraction is endless. */
uint64_t sim_transmission_ns(uint64_t size_bytes, uint64_t rate_bps)
{
    uint64_t rest, high;
    uint64_t whole = 8 * size_bytes / rate_bps;
    uint64_t fraction = ff_wide_quotient(8 * size_bytes % rate_bps, 0, rate_bps, &rest);
    uint64_t low = ff_wide_product(fraction, NS, &high);

    return whole * NS + high + (low >> 63);
}

static uint64_t carry_wire(struct sim_wire *wire, uint64_t t_ns, uint64_t size_bytes)
{
    uint64_t from_ns = t_ns > wire->busy_until_ns ? t_ns : wire->busy_until_ns;

    wire->busy_until_ns = from_ns + sim_transmission_ns(size_bytes, wire->rate_bps);
    return wire->busy_until_ns + wire->delay_ns;
}

/* Return a full bucket. 8 * 10^9 * 2^29 < 2^62. */
struct sim_bucket sim_bucket(uint64_t rate_bps, uint64_t burst_bytes, uint64_t latency_ns)
{
    uint64_t burst = 8 * NS * burst_bytes;
    return (struct sim_bucket){rate_bps, latency_ns, burst, burst, SIM_ORIGIN_NS, 0};
}

/* Return the tokens `after_ns` after the last count. It is full after burst / rate ns, before the product overflows. */
static uint64_t refilled(const struct sim_bucket *bucket, uint64_t after_ns)
{
    uint64_t free_bytes = bucket->burst - bucket->tokens;
    return after_ns > free_bytes / bucket->rate_bps ? bucket->burst : bucket->tokens + after_ns * bucket->rate_bps;
}

/* Return when a packet passes, or SIM_NONE if it is dropped. A packet waits until the previous one has left. */
static uint64_t carry_bucket(struct sim_bucket *bucket, uint64_t t_ns, uint64_t size_bytes)
{
    uint64_t from_ns = t_ns > bucket->counted_ns ? t_ns : bucket->counted_ns;
    uint64_t tokens = refilled(bucket, from_ns - bucket->counted_ns);
    uint64_t needed = 8 * NS * size_bytes;
    uint64_t wait_ns = needed > tokens ? (needed - tokens + bucket->rate_bps - 1) / bucket->rate_bps : 0;

    if (from_ns + wait_ns - t_ns > bucket->latency_ns) {
        bucket->dropped_packets++;
        return SIM_NONE;
    }
    bucket->tokens = tokens + wait_ns * bucket->rate_bps - needed;
    bucket->counted_ns = from_ns + wait_ns;
    return bucket->counted_ns;
}

/* Append a link to a way. */
void sim_way_add(struct sim_way *way, enum sim_hop_kind kind, void *link)
{
    sim_way_add_meeting(way, kind, NULL, link);
}

void sim_way_add_meeting(struct sim_way *way, enum sim_hop_kind kind, sim_take *take, void *link)
{
    way->hops[way->count++] = (struct sim_hop){.kind = kind, .take = take, .way = way, .link = link};
}

static uint64_t carry(const struct sim_hop *hop, uint64_t t_ns, uint64_t size_bytes)
{
    if (hop->kind == SIM_DELAY) {
        return t_ns + hop->delay_ns;
    }
    return hop->kind == SIM_WIRE ? carry_wire(hop->link, t_ns, size_bytes) : carry_bucket(hop->link, t_ns, size_bytes);
}

void sim_bottleneck_take(struct sim_hop *hop, const struct sim_packet *packet)
{
    uint64_t arrival_ns = sim_bottleneck_carry(hop->link, hop->way->clock->now_ns, packet->wire_bytes);

    if (arrival_ns != SIM_NONE) {
        sim_way_forward(hop, arrival_ns, packet);
    }
}

/* Deliver a packet to a shared link now. */
static void arrive(void *subject, const union sim_argument *argument)
{
    struct sim_hop *hop = subject;

    hop->take(hop, &argument->packet);
}

/* Let a packet cross the links from index `from`, where it arrives at `t_ns`, now or later. */
static void cross(struct sim_way *way, size_t from, uint64_t t_ns, const struct sim_packet *packet)
{
    for (size_t i = from; i < way->count; i++) {
        if (way->hops[i].take != NULL) {
            sim_clock_packet(way->clock, t_ns, arrive, &way->hops[i], packet);
            return;
        }
        t_ns = carry(&way->hops[i], t_ns, packet->wire_bytes);
        if (t_ns == SIM_NONE) {
            return;
        }
        if (t_ns > LAST_NS) {
            sim_raise(way->clock->memory, SIM_BEYOND);
        }
    }
    sim_clock_packet(way->clock, t_ns, way->deliver, way->receiver, packet);
}

/* Send a packet now. */
void sim_way_send(struct sim_way *way, const struct sim_packet *packet)
{
    if (way->hops[0].take != NULL) {
        way->hops[0].take(&way->hops[0], packet);
    } else {
        cross(way, 0, way->clock->now_ns, packet);
    }
}

void sim_way_forward(struct sim_hop *behind, uint64_t t_ns, const struct sim_packet *packet)
{
    cross(behind->way, (size_t)(behind - behind->way->hops) + 1, t_ns, packet);
}
