/* The bottleneck of the thesis: a device with a queue in bytes and, above it, CoDel (RFC 8289). */
#include "parts.h"

#define MTU_BYTES 1500
#define LEAST_BYTES 1500
/* CoDel counts in units of 1024 ns. */
#define SHIFT 10
#define TARGET (UINT64_C(5000000) >> SHIFT)
#define INTERVAL (UINT64_C(100000000) >> SHIFT)

struct waiting {
    uint64_t put_ns;
    struct sim_hop *behind; /* the link that it waits for */
    struct sim_packet packet;
};

struct in_device {
    uint64_t starts_ns;
    uint64_t size_bytes;
};

/* Dequeue a packet; return false if the queue is empty. `above`: for an interval packets waited longer than TARGET. */
static bool pop(struct sim_codel *codel, uint64_t now_ns, struct waiting *entry, bool *above)
{
    uint64_t now = now_ns >> SHIFT;

    *above = false;
    if (codel->waiting.count == 0) {
        codel->first_above = 0;
        return false;
    }
    *entry = *(const struct waiting *)sim_ring_first(&codel->waiting);
    sim_ring_drop(&codel->waiting);
    codel->bytes -= entry->packet.wire_bytes;
    if ((now_ns - entry->put_ns) >> SHIFT < TARGET || codel->bytes < LEAST_BYTES) {
        codel->first_above = 0;
    } else if (codel->first_above == 0) {
        codel->first_above = now + INTERVAL;
    } else {
        *above = now > codel->first_above;
    }
    return true;
}

/* Return the time of the next drop: `time` + INTERVAL / sqrt(count). INTERVAL^2 < 2^34. */
static uint64_t after(uint64_t time, uint64_t count)
{
    uint64_t square = INTERVAL * INTERVAL / count, root = 0;

    for (uint64_t bit = UINT64_C(1) << 16; bit > 0; bit >>= 1) {
        if ((root + bit) * (root + bit) <= square) {
            root += bit;
        }
    }
    return time + root;
}

/* Dequeue the next packet that is not dropped; return false if the queue is empty. */
static bool get(struct sim_codel *codel, uint64_t now_ns, struct waiting *entry)
{
    uint64_t now = now_ns >> SHIFT;
    bool above;
    bool found = pop(codel, now_ns, entry, &above);

    if (codel->dropping && !above) {
        codel->dropping = false;
    } else if (codel->dropping) {
        while (codel->dropping && now >= codel->drop_next) {
            codel->count++;
            codel->dropped_packets++;
            found = pop(codel, now_ns, entry, &codel->dropping);
            if (codel->dropping) {
                codel->drop_next = after(codel->drop_next, codel->count);
            }
        }
    } else if (above) {
        codel->dropped_packets++;
        found = pop(codel, now_ns, entry, &above);
        codel->dropping = true;
        bool lately = codel->count > codel->last_count + 1 && now < codel->drop_next + 16 * INTERVAL;
        codel->count = lately ? codel->count - codel->last_count : 1;
        codel->last_count = codel->count;
        codel->drop_next = after(now, codel->count);
    }
    return found;
}

struct sim_codel_link sim_codel_link(struct sim_clock *clock, uint64_t rate_bps, uint64_t delay_ns, uint64_t queue_bytes)
{
    return (struct sim_codel_link){
        .clock = clock,
        .rate_bps = rate_bps,
        .delay_ns = delay_ns,
        .queue_bytes = queue_bytes,
        .device = {.memory = clock->memory, .item_size = sizeof(struct in_device)},
        .codel = {.waiting = {.memory = clock->memory, .item_size = sizeof(struct waiting)}},
    };
}

/* Return whether the device accepts a packet. An idle device does, whatever the size of its queue. */
static bool takes(struct sim_codel_link *link, uint64_t now_ns)
{
    while (link->device.count > 0) {
        const struct in_device *first = sim_ring_first(&link->device);
        if (first->starts_ns > now_ns) {
            break;
        }
        link->device_bytes -= first->size_bytes;
        sim_ring_drop(&link->device);
    }
    return link->device_bytes + MTU_BYTES <= link->queue_bytes || link->busy_until_ns <= now_ns;
}

static void serve(struct sim_hop *hop, uint64_t now_ns, const struct sim_packet *packet)
{
    struct sim_codel_link *link = hop->link;
    uint64_t starts_ns = link->busy_until_ns;

    if (starts_ns <= now_ns) {
        starts_ns = now_ns;
    } else {
        *(struct in_device *)sim_ring_add(&link->device) = (struct in_device){starts_ns, packet->wire_bytes};
        link->device_bytes += packet->wire_bytes;
    }
    link->busy_until_ns = starts_ns + sim_transmission_ns(packet->wire_bytes, link->rate_bps);
    sim_way_forward(hop, link->busy_until_ns + link->delay_ns, packet);
}

static sim_action look_again;

/* Move packets into the device while it accepts them. */
static void fill(struct sim_codel_link *link)
{
    uint64_t now_ns = link->clock->now_ns;
    struct waiting entry;

    while (link->codel.waiting.count > 0 && takes(link, now_ns)) {
        if (get(&link->codel, now_ns, &entry)) {
            serve(entry.behind, now_ns, &entry.packet);
        }
    }
    if (link->codel.waiting.count > 0 && !link->waits) {
        const struct in_device *first = link->device.count > 0 ? sim_ring_first(&link->device) : NULL;
        uint64_t again_ns = first != NULL ? first->starts_ns : link->busy_until_ns;
        link->waits = true;
        sim_clock_timer(link->clock, again_ns, look_again, link, again_ns);
    }
}

static void look_again(void *subject, const union sim_argument *none)
{
    struct sim_codel_link *link = subject;

    (void)none;
    link->waits = false;
    fill(link);
}

/* Enqueue a packet now. */
void sim_codel_link_take(struct sim_hop *hop, const struct sim_packet *packet)
{
    struct sim_codel_link *link = hop->link;
    struct sim_codel *codel = &link->codel;
    uint64_t now_ns = link->clock->now_ns;

    if (codel->waiting.count == 0 && takes(link, now_ns)) {
        codel->first_above = 0; /* the packet does not wait */
        codel->dropping = false;
        serve(hop, now_ns, packet);
    } else {
        *(struct waiting *)sim_ring_add(&codel->waiting) = (struct waiting){now_ns, hop, *packet};
        codel->bytes += packet->wire_bytes;
        fill(link);
    }
}
