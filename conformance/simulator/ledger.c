/* The ledger of a sender: the packets in flight and the RTT estimator. */
#include "flow.h"

/* Record packets being sent. */
void sim_ledger_send(struct sim_ledger *ledger, uint64_t count, uint64_t size_bytes, uint64_t now_ns)
{
    for (uint64_t i = 0; i < count; i++) {
        *(struct sim_sent_packet *)sim_span_add(&ledger->packets) = (struct sim_sent_packet){size_bytes, now_ns};
    }
    ledger->bytes_in_flight += count * size_bytes;
}

/* Return a sent packet if it is in flight, or NULL. */
const struct sim_sent_packet *sim_ledger_find(const struct sim_ledger *ledger, uint64_t packet)
{
    if (packet < ledger->packets.oldest) {
        return NULL;
    }
    const struct sim_sent_packet *sent = sim_span_at(&ledger->packets, packet);
    return sent->size_bytes > 0 ? sent : NULL;
}

/* Remove a packet in flight and return it. */
struct ff_run sim_ledger_take(struct sim_ledger *ledger, uint64_t packet)
{
    struct sim_span *packets = &ledger->packets;
    struct sim_sent_packet *sent = sim_span_at(packets, packet);
    struct ff_run run = {packet, packet, sent->size_bytes, sent->sent_t_ns};

    ledger->bytes_in_flight -= sent->size_bytes;
    sent->size_bytes = 0;
    while (packets->oldest < packets->end && sim_ledger_find(ledger, packets->oldest) == NULL) {
        packets->oldest++;
    }
    return run;
}

/* Take one sample (RFC 9002, section 5), each division rounded down. Times are below 2^60: a sum of eight fits. */
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
