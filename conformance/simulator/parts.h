/* Shared structures of a run: growing memory, clock, packets, links. Functions are documented at their definitions. */
#ifndef FIRSTFLIGHT_SIMULATOR_PARTS_H
#define FIRSTFLIGHT_SIMULATOR_PARTS_H

#include <setjmp.h>

#include "simulator.h"

/* Every run begins at one second, like every vector. */
#define SIM_ORIGIN_NS UINT64_C(1000000000)

/* memory.c: memory that grows; a failure ends the run. */

struct sim_memory {
    jmp_buf refused; /* target of sim_raise, which ends the run */
    enum sim_status status;
};

/* A queue of items of equal size. */
struct sim_ring {
    struct sim_memory *memory;
    size_t item_size;
    char *items;
    size_t head; /* index of the first item */
    size_t count;
    size_t capacity;
};

/* Items with ascending numbers from `oldest` to below `end`. */
struct sim_span {
    struct sim_memory *memory;
    size_t item_size;
    char *items; /* number n is at n modulo the capacity, a power of two */
    uint64_t oldest;
    uint64_t end;
    size_t capacity;
};

void sim_raise(struct sim_memory *memory, enum sim_status status);
/* Return `items`, reallocated to more than `count` items, and the new capacity. */
void *sim_grow(struct sim_memory *memory, void *items, size_t *capacity, size_t count, size_t item_size);
void *sim_ring_add(struct sim_ring *ring);
void sim_ring_drop(struct sim_ring *ring);
void *sim_span_add(struct sim_span *span);

static inline void *sim_ring_first(const struct sim_ring *ring)
{
    return ring->items + ring->head * ring->item_size;
}

static inline void *sim_span_at(const struct sim_span *span, uint64_t number)
{
    return span->items + (number & (span->capacity - 1)) * span->item_size;
}

/* Packets */

enum sim_kind { SIM_DATA, SIM_SYN, SIM_SYN_ACKED, SIM_FIN_ACKED, SIM_SYN_ACK, SIM_ACK, SIM_FIN };

/* An ACK frame: newly acknowledged ranges, ascending. It has at most one gap: a gap is acknowledged at once. */
struct sim_ack_frame {
    struct ff_range ranges[2];
    size_t range_count; /* 0 in a FIN without an ACK */
    uint64_t ack_delay_ns;
    uint64_t max_data_bytes; /* total bytes of data that the sender may send, or SIM_NONE */
};

struct sim_data {
    uint64_t packet;
    uint64_t name; /* the packet whose data it repeats, or SIM_NONE */
    uint64_t size_bytes;
    bool last; /* last of the transfer: carries the FIN */
};

struct sim_packet {
    uint64_t wire_bytes;
    enum sim_kind kind;
    union {
        struct sim_data data;
        struct sim_ack_frame ack;
    } of;
};

/* clock.c */

union sim_argument {
    uint64_t timer_ns;
    struct sim_packet packet;
};

typedef void sim_action(void *subject, const union sim_argument *argument);

struct sim_entry {
    uint64_t t_ns;
    uint64_t scheduled;
    sim_action *action;
    void *subject;
    union sim_argument argument;
};

struct sim_clock {
    struct sim_memory *memory;
    uint64_t now_ns;
    uint64_t tick_ns; /* if above 1, actions run at multiples of it */
    uint64_t scheduled;
    uint64_t events; /* number of actions that ran */
    struct sim_entry *queue;
    size_t waiting;
    size_t capacity;
};

void sim_clock_timer(struct sim_clock *clock, uint64_t t_ns, sim_action *action, void *subject, uint64_t timer_ns);
void sim_clock_packet(struct sim_clock *clock, uint64_t t_ns, sim_action *action, void *subject, const struct sim_packet *packet);
bool sim_clock_run(struct sim_clock *clock, uint64_t stop_ns, bool (*finished)(const void *context), const void *context);

/* path.c */

struct sim_bottleneck {
    const struct sim_link *link;
    uint64_t origin_ns;
    uint64_t busy_until_ns;
    struct sim_ring waiting;
    uint64_t waiting_bytes;
    uint64_t last_arrival_ns;
    uint64_t dropped_packets;
    uint64_t early_dropped_packets;
    uint64_t lost_packets;
    uint64_t loss; /* states of random generators (spec/prng.md) */
    uint64_t jitter;
    uint64_t early;
};

struct sim_ack_policy {
    const struct sim_receiver *receiver;
    uint64_t next_packet; /* one above the largest arrived packet */
    uint64_t largest_arrival_ns;
    uint64_t pending_packets;
    struct sim_ack_frame pending;
    uint64_t deadline_ns; /* or SIM_NONE */
};

struct sim_bottleneck sim_bottleneck(const struct sim_link *link, uint64_t seed, struct sim_memory *memory);
uint64_t sim_forward_delay_at(const struct sim_link *link, uint64_t since_start_ns);
/* Return the arrival time of a packet, or SIM_NONE if it is dropped or lost. */
uint64_t sim_bottleneck_carry(struct sim_bottleneck *bottleneck, uint64_t now_ns, uint64_t size_bytes);
void sim_bottleneck_leave(struct sim_bottleneck *bottleneck, uint64_t now_ns);
bool sim_ack_policy_arrived(struct sim_ack_policy *acks, uint64_t now_ns, uint64_t packet);
struct sim_ack_frame sim_ack_policy_acknowledge(struct sim_ack_policy *acks, uint64_t now_ns);

/* links.c and codel.c */

struct sim_way;

/* A link of a way. The first three compute the passage of a packet in advance. The others are shared by flows. */
enum sim_hop_kind { SIM_DELAY, SIM_WIRE, SIM_BUCKET, SIM_BOTTLENECK, SIM_CODEL };

struct sim_hop;
/* Enqueue a packet that arrives at a link now. */
typedef void sim_take(struct sim_hop *hop, const struct sim_packet *packet);

struct sim_hop {
    enum sim_hop_kind kind;
    sim_take *take; /* for a shared link, otherwise NULL */
    struct sim_way *way;
    uint64_t delay_ns; /* for SIM_DELAY */
    void *link;        /* for all other kinds */
};

/* Links that packets cross one after another, and the receiver at the end. */
struct sim_way {
    struct sim_clock *clock;
    sim_action *deliver;
    void *receiver;
    size_t count;
    struct sim_hop hops[4];
};

struct sim_wire {
    uint64_t rate_bps;
    uint64_t delay_ns;
    uint64_t busy_until_ns;
};

struct sim_bucket {
    uint64_t rate_bps;
    uint64_t latency_ns;
    uint64_t burst;  /* tokens in 1/(8e9) bytes: each ns adds rate_bps tokens */
    uint64_t tokens;
    uint64_t counted_ns;
    uint64_t dropped_packets;
};

struct sim_codel {
    struct sim_ring waiting;
    uint64_t bytes;
    uint64_t first_above;
    bool dropping;
    uint64_t drop_next;
    uint64_t count;
    uint64_t last_count;
    uint64_t dropped_packets;
};

struct sim_codel_link {
    struct sim_clock *clock;
    uint64_t rate_bps;
    uint64_t delay_ns;
    uint64_t queue_bytes;
    struct sim_ring device; /* packets waiting in the device */
    uint64_t device_bytes;
    uint64_t busy_until_ns;
    bool waits;
    struct sim_codel codel;
};

void sim_way_add(struct sim_way *way, enum sim_hop_kind kind, void *link);
/* Append a shared link to a way. */
void sim_way_add_meeting(struct sim_way *way, enum sim_hop_kind kind, sim_take *take, void *link);
sim_take sim_bottleneck_take;
void sim_way_send(struct sim_way *way, const struct sim_packet *packet);
/* Forward a packet that leaves the link `behind` at `t_ns`, now or later. */
void sim_way_forward(struct sim_hop *behind, uint64_t t_ns, const struct sim_packet *packet);
uint64_t sim_transmission_ns(uint64_t size_bytes, uint64_t rate_bps);
struct sim_bucket sim_bucket(uint64_t rate_bps, uint64_t burst_bytes, uint64_t latency_ns);
struct sim_codel_link sim_codel_link(struct sim_clock *clock, uint64_t rate_bps, uint64_t delay_ns, uint64_t queue_bytes);
sim_take sim_codel_link_take;

#endif
