/* A path for the examples: one bottleneck with an infinite queue. The ACK of a packet arrives one RTT after it left. */
#ifndef EXAMPLE_PATH_H
#define EXAMPLE_PATH_H

#include <stdint.h>

enum { PATH_PACKETS = 65536, PATH_BYTES = 1200 };

struct path {
    uint64_t rate_bytes_per_s, rtt_ns;
    uint64_t free_ns;          /* when the bottleneck has sent all waiting data */
    uint64_t next, oldest;     /* packet numbers: to be sent, and to be acknowledged */
    uint64_t sent_ns[PATH_PACKETS], acked_ns[PATH_PACKETS];
};

static inline void path_begin(struct path *p, uint64_t rate_bytes_per_s, uint64_t rtt_ns, uint64_t now_ns)
{
    p->rate_bytes_per_s = rate_bytes_per_s;
    p->rtt_ns = rtt_ns;
    p->free_ns = now_ns;
    p->next = p->oldest = 0;
}

static inline uint64_t path_in_flight(const struct path *p)
{
    return (p->next - p->oldest) * PATH_BYTES;
}

/* Send packets while the window has room; return how many. */
static inline uint64_t path_send(struct path *p, uint64_t now_ns, uint64_t cwnd_bytes)
{
    uint64_t before = p->next;

    while (path_in_flight(p) + PATH_BYTES <= cwnd_bytes && p->next - p->oldest < PATH_PACKETS) {
        uint64_t slot = p->next++ % PATH_PACKETS;

        p->free_ns = (now_ns > p->free_ns ? now_ns : p->free_ns) + PATH_BYTES * UINT64_C(1000000000) / p->rate_bytes_per_s;
        p->sent_ns[slot] = now_ns;
        p->acked_ns[slot] = p->free_ns + p->rtt_ns;
    }
    return p->next - before;
}

/* Wait for the next ACK; return when it arrives. Its packet is then p->oldest - 1. */
static inline uint64_t path_next_ack(struct path *p)
{
    return p->acked_ns[p->oldest++ % PATH_PACKETS];
}

static inline uint64_t path_sent_ns(const struct path *p, uint64_t packet)
{
    return p->sent_ns[packet % PATH_PACKETS];
}

#endif
