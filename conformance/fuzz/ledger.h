/*
 * Rules that depend on the history of a connection (spec/events.md). Packets are sent in order and acknowledged or lost
 * once, with their size and send time. Data is repeated only after a loss, identified by the packet that carried it
 * first.
 */
#ifndef FUZZ_LEDGER_H
#define FUZZ_LEDGER_H

#include "firstflight/events.h"

#define FUZZ_PACKETS 1024

struct fuzz_ledger {
    struct {
        uint64_t size_bytes, sent_t_ns;
        uint32_t data; /* the packet that carried its data first */
        bool in_flight, is_lost, data_arrived;
    } packets[FUZZ_PACKETS];
    uint64_t next_packet, in_flight_bytes, min_rtt_ns, smoothed_rtt_ns;
};

static inline void fuzz_ledger_begin(struct fuzz_ledger *ledger)
{
    ledger->next_packet = ledger->in_flight_bytes = 0;
    ledger->min_rtt_ns = ledger->smoothed_rtt_ns = FF_NO_RTT_NS;
}

static inline bool fuzz_send(struct fuzz_ledger *ledger, const struct ff_sent *sent, uint64_t t_ns)
{
    uint64_t first = ledger->next_packet, next = first;

    for (size_t i = 0; i < sent->run_count; i++) {
        const struct ff_run *run = &sent->packets[i];
        if (run->first != next || run->last >= FUZZ_PACKETS || run->sent_t_ns != t_ns) {
            return false;
        }
        for (; next <= run->last; next++) {
            ledger->packets[next].size_bytes = run->size_bytes;
            ledger->packets[next].sent_t_ns = t_ns;
            ledger->packets[next].data = (uint32_t)next;
            ledger->packets[next].in_flight = true;
            ledger->packets[next].is_lost = ledger->packets[next].data_arrived = false;
        }
    }
    uint64_t carrier = first;
    for (size_t i = 0; i < sent->retransmit_count; i++) {
        for (uint64_t data = sent->retransmits[i].first; data <= sent->retransmits[i].last; data++) {
            if (data >= first || carrier == next || ledger->packets[data].data != data || !ledger->packets[data].is_lost) {
                return false;
            }
            ledger->packets[carrier++].data = (uint32_t)data;
        }
    }
    ledger->next_packet = next;
    ledger->in_flight_bytes += sent->bytes;
    return sent->bytes_in_flight == ledger->in_flight_bytes;
}

/* Remove packets from flight. */
static inline bool fuzz_take(struct fuzz_ledger *ledger, const struct ff_run *runs, size_t count, bool are_lost)
{
    for (size_t i = 0; i < count; i++) {
        for (uint64_t packet = runs[i].first; packet <= runs[i].last; packet++) {
            if (packet >= ledger->next_packet || !ledger->packets[packet].in_flight ||
                ledger->packets[packet].size_bytes != runs[i].size_bytes || ledger->packets[packet].sent_t_ns != runs[i].sent_t_ns) {
                return false;
            }
            ledger->packets[packet].in_flight = false;
            ledger->packets[packet].is_lost = are_lost;
            ledger->in_flight_bytes -= runs[i].size_bytes;
            ledger->packets[ledger->packets[packet].data].data_arrived |= !are_lost;
        }
    }
    return true;
}

/* Return the first packet whose data has not arrived. */
static inline uint64_t fuzz_oldest(const struct fuzz_ledger *ledger)
{
    for (uint64_t packet = 0; packet < ledger->next_packet; packet++) {
        if (ledger->packets[packet].data == packet && !ledger->packets[packet].data_arrived) {
            return packet;
        }
    }
    return ledger->next_packet;
}

/* A sample is the time since the last packet of the ACK was sent. The estimator is specified in spec/events.md. */
static inline bool fuzz_rtts_follow(struct fuzz_ledger *ledger, const struct ff_ack *ack, uint64_t t_ns)
{
    uint64_t latest = ack->latest_rtt_ns, smoothed = ledger->smoothed_rtt_ns;

    if (latest != FF_NO_RTT_NS && smoothed == FF_NO_RTT_NS) {
        ledger->min_rtt_ns = ledger->smoothed_rtt_ns = latest;
    } else if (latest != FF_NO_RTT_NS) {
        ledger->min_rtt_ns = latest < ledger->min_rtt_ns ? latest : ledger->min_rtt_ns;
        uint64_t adjusted = latest - ledger->min_rtt_ns >= ack->ack_delay_ns ? latest - ack->ack_delay_ns : latest;
        ledger->smoothed_rtt_ns = (7 * smoothed + adjusted) / 8;
    }
    return (latest == FF_NO_RTT_NS || latest == t_ns - ack->packets[ack->run_count - 1].sent_t_ns) &&
           ack->min_rtt_ns == ledger->min_rtt_ns && ack->smoothed_rtt_ns == ledger->smoothed_rtt_ns;
}

/* Enter a valid event; return whether it is consistent with earlier events. Otherwise the ledger becomes invalid. */
static inline bool fuzz_follows(struct fuzz_ledger *ledger, const struct ff_event *event)
{
    const struct ff_ack *ack = &event->ack;
    const struct ff_lost *lost = &event->lost;

    switch (event->kind) {
    case FF_EVENT_SENT:
        return fuzz_send(ledger, &event->sent, event->t_ns);
    case FF_EVENT_ACK:
        return fuzz_take(ledger, ack->packets, ack->run_count, false) && ack->bytes_in_flight == ledger->in_flight_bytes &&
               ack->next_packet == ledger->next_packet && fuzz_rtts_follow(ledger, ack, event->t_ns) &&
               (ack->oldest_unacked_packet == FF_NO_PACKET || ack->oldest_unacked_packet == fuzz_oldest(ledger));
    case FF_EVENT_LOST:
        return fuzz_take(ledger, lost->packets, lost->run_count, true) && lost->bytes_in_flight == ledger->in_flight_bytes &&
               lost->next_packet == ledger->next_packet;
    case FF_EVENT_CE:
        return event->ce.packet < ledger->next_packet && event->ce.sent_t_ns == ledger->packets[event->ce.packet].sent_t_ns;
    default:
        return true;
    }
}

#endif
