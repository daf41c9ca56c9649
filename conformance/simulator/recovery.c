/* Loss detection of the sender: packet and time threshold (RFC 9002, section 6.1). Twin: simulator/recovery.py. */
#include "parts.h"

#define PACKET_THRESHOLD 3

/* Return how long a packet may be overdue: 9/8 of the larger RTT. RTTs are below 2^44 ns. Without a sample nothing was acknowledged. */
static uint64_t loss_delay_ns(const struct sim_sender *sender)
{
    const struct sim_rtt *rtt = &sender->rtt;
    return 9 * (rtt->latest_ns > rtt->smoothed_ns ? rtt->latest_ns : rtt->smoothed_ns) / 8;
}

/* Declare packets lost. `acked_bytes` are gone from the ledger but still in flight for the controller. */
void sim_detect_losses(struct sim_sender *sender, uint64_t now_ns, uint64_t acked_bytes)
{
    struct sim_runs *lost = &sender->lost;

    lost->count = 0;
    lost->bytes = 0;
    for (uint64_t packet = sender->ledger.oldest; packet < sender->acked_end; packet++) {
        const struct sim_sent_packet *sent = sim_ledger_find(&sender->ledger, packet);
        if (sent != NULL &&
            (packet + PACKET_THRESHOLD < sender->acked_end || sent->sent_t_ns + loss_delay_ns(sender) <= now_ns)) {
            sim_runs_add(lost, sender->room, sim_ledger_take(&sender->ledger, packet));
        }
    }
    if (lost->count == 0) {
        return;
    }
    if (sender->left_bytes != SIM_NONE) {
        sender->left_bytes += lost->bytes;
    }
    struct ff_event event = {.kind = FF_EVENT_LOST, .t_ns = now_ns};
    event.lost = (struct ff_lost){
        .packets = lost->runs,
        .run_count = lost->count,
        .bytes = lost->bytes,
        .bytes_in_flight = sender->ledger.bytes_in_flight + acked_bytes,
        .next_packet = sender->ledger.next_packet,
    };
    sim_sender_record(sender, &event);
}

/* Return when the oldest packet below the largest acknowledged becomes overdue, SIM_NONE if there is none. */
uint64_t sim_loss_timer_ns(const struct sim_sender *sender)
{
    const struct sim_ledger *ledger = &sender->ledger;

    if (ledger->oldest >= sender->acked_end || ledger->bytes_in_flight == 0) {
        return SIM_NONE;
    }
    return sim_ledger_find(ledger, ledger->oldest)->sent_t_ns + loss_delay_ns(sender);
}
