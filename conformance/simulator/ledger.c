/* The ledger of a sender: which packets are in flight, and the RTT estimator. Twin: cases/ledger.py, which keeps runs. */
#include "parts.h"

static struct sim_sent_packet *slot(const struct sim_ledger *ledger, uint64_t packet)
{
    return &ledger->packets[packet & (ledger->capacity - 1)];
}

static void grow(struct sim_ledger *ledger)
{
    size_t old = ledger->capacity;

    ledger->packets = sim_grow(ledger->room, ledger->packets, &ledger->capacity, old, sizeof *ledger->packets);
    /* The ring is twice as long: a packet lies where it lay, or so much further. */
    for (uint64_t packet = ledger->oldest; packet < ledger->oldest + old; packet++) {
        if (packet & old) {
            *slot(ledger, packet) = ledger->packets[packet & (old - 1)];
        }
    }
}

/* Record packets being sent. */
void sim_ledger_send(struct sim_ledger *ledger, uint64_t count, uint64_t size_bytes, uint64_t now_ns)
{
    for (uint64_t i = 0; i < count; i++) {
        if (ledger->next_packet - ledger->oldest == ledger->capacity) {
            grow(ledger);
        }
        *slot(ledger, ledger->next_packet++) = (struct sim_sent_packet){size_bytes, now_ns};
    }
    ledger->bytes_in_flight += count * size_bytes;
}

/* Return a packet that was sent if it is in flight, or NULL. */
const struct sim_sent_packet *sim_ledger_find(const struct sim_ledger *ledger, uint64_t packet)
{
    return packet >= ledger->oldest && slot(ledger, packet)->size_bytes > 0 ? slot(ledger, packet) : NULL;
}

/* Remove a packet that is in flight; return it. */
struct ff_run sim_ledger_take(struct sim_ledger *ledger, uint64_t packet)
{
    struct sim_sent_packet *sent = slot(ledger, packet);
    struct ff_run run = {packet, packet, sent->size_bytes, sent->sent_t_ns};

    ledger->bytes_in_flight -= sent->size_bytes;
    sent->size_bytes = 0;
    while (ledger->oldest < ledger->next_packet && slot(ledger, ledger->oldest)->size_bytes == 0) {
        ledger->oldest++;
    }
    return run;
}

/* Take one sample (RFC 9002, section 5), each division rounded down. Times are below 2^60: seven of them fit. */
void sim_rtt_sample(struct sim_rtt *rtt, uint64_t latest_ns, uint64_t ack_delay_ns)
{
    rtt->latest_ns = latest_ns;
    if (rtt->min_ns == SIM_NONE) {
        rtt->min_ns = rtt->smoothed_ns = latest_ns;
        rtt->variation_ns = latest_ns / 2;
        return;
    }
    if (latest_ns < rtt->min_ns) {
        rtt->min_ns = latest_ns;
    }
    uint64_t adjusted_ns = latest_ns >= rtt->min_ns + ack_delay_ns ? latest_ns - ack_delay_ns : latest_ns;
    uint64_t off_ns = rtt->smoothed_ns > adjusted_ns ? rtt->smoothed_ns - adjusted_ns : adjusted_ns - rtt->smoothed_ns;
    rtt->variation_ns = (3 * rtt->variation_ns + off_ns) / 4;
    rtt->smoothed_ns = (7 * rtt->smoothed_ns + adjusted_ns) / 8;
}
