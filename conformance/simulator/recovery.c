/* Loss detection of the sender: packet and time threshold, probe timeout, persistent congestion. */
#include "flow.h"

#define PACKET_THRESHOLD 3
#define GRANULARITY_NS UINT64_C(1000000)
#define INITIAL_RTT_NS UINT64_C(333000000)
#define PERSISTENT_CONGESTION_THRESHOLD 3
#define MOST_DOUBLINGS 10

/* Return the time threshold: 9/8 of the larger RTT. RTTs are below 2^44 ns. Without a sample nothing is judged lost. */
static uint64_t loss_delay_ns(const struct sim_sender *sender)
{
    const struct sim_rtt *rtt = &sender->rtt;
    return 9 * (rtt->latest_ns > rtt->smoothed_ns ? rtt->latest_ns : rtt->smoothed_ns) / 8;
}

/* Return the probe timeout without backoff, below 2^48 ns; before the first sample, as in RFC 9002, section 6.2.2. */
static uint64_t probe_timeout_ns(const struct sim_sender *sender)
{
    const struct sim_rtt *rtt = &sender->rtt;
    uint64_t timeout_ns = 3 * INITIAL_RTT_NS, least_ns = sender->transfer->least_timeout_ns;

    if (rtt->smoothed_ns != SIM_NONE) {
        uint64_t off_ns = 4 * rtt->variation_ns;
        timeout_ns = rtt->smoothed_ns + (off_ns > GRANULARITY_NS ? off_ns : GRANULARITY_NS);
    }
    timeout_ns += sender->transfer->max_ack_delay_ns;
    return timeout_ns > least_ns ? timeout_ns : least_ns;
}

/* Return whether contiguous lost packets span the duration of persistent congestion (RFC 9002, section 7.6.1). */
static bool is_persistent(const struct sim_sender *sender)
{
    uint64_t first_sample_ns = sender->first_sample_ns, began_ns = SIM_NONE, next_packet = SIM_NONE;

    if (first_sample_ns == SIM_NONE || sender->rtt.smoothed_ns == SIM_NONE) {
        return false;
    }
    uint64_t limit_ns = PERSISTENT_CONGESTION_THRESHOLD * probe_timeout_ns(sender);
    for (size_t i = 0; i < sender->lost.count; i++) {
        const struct ff_run *run = &sender->lost.runs[i];
        if (run->first != next_packet || began_ns < first_sample_ns) {
            began_ns = run->sent_t_ns;
        }
        next_packet = run->last + 1;
        if (began_ns >= first_sample_ns && run->sent_t_ns - began_ns > limit_ns) {
            return true;
        }
    }
    return false;
}

/* Declare packets lost. `acked_bytes` are no longer in the ledger but still in flight for the controller. */
void sim_detect_losses(struct sim_sender *sender, uint64_t now_ns, uint64_t acked_bytes)
{
    struct sim_runs *lost = &sender->lost;

    lost->count = 0;
    lost->bytes = 0;
    for (uint64_t packet = sender->ledger.packets.oldest; packet < sender->acked_end; packet++) {
        const struct sim_sent_packet *sent = sim_ledger_find(&sender->ledger, packet);
        if (sent != NULL &&
            (packet + PACKET_THRESHOLD < sender->acked_end || sent->sent_t_ns + loss_delay_ns(sender) <= now_ns)) {
            sim_runs_add(lost, sender->memory, sim_ledger_take(&sender->ledger, packet));
        }
    }
    if (lost->count == 0) {
        return;
    }
    sender->lost_packets += lost->count;
    sim_outbox_lost(&sender->outbox, lost->runs, lost->count);
    struct ff_event event = {.kind = FF_EVENT_LOST, .t_ns = now_ns};
    event.lost = (struct ff_lost){
        .packets = lost->runs,
        .run_count = lost->count,
        .bytes = lost->bytes,
        .bytes_in_flight = sender->ledger.bytes_in_flight + acked_bytes,
        .next_packet = sender->ledger.packets.end,
        .rate_in_flight_bytes = FF_NO_SAMPLE,
        .rate_lost_bytes = FF_NO_SAMPLE,
    };
    sim_sender_record(sender, &event);
    if (sender->transfer->probes && is_persistent(sender)) {
        struct ff_event persistent = {.kind = FF_EVENT_PERSISTENT_CONGESTION, .t_ns = now_ns};
        sim_sender_record(sender, &persistent);
        sender->rtt.min_ns = SIM_NONE; /* restart the minimum (section 5.2) */
    }
}

uint64_t sim_loss_timer_ns(const struct sim_sender *sender)
{
    const struct sim_ledger *ledger = &sender->ledger;

    if (ledger->packets.oldest >= sender->acked_end || ledger->bytes_in_flight == 0) {
        return SIM_NONE;
    }
    return sim_ledger_find(ledger, ledger->packets.oldest)->sent_t_ns + loss_delay_ns(sender);
}

/* Return when a probe is due: one timeout, with backoff, after the last packet sent (RFC 9002, section 6.2.1). */
uint64_t sim_probe_timer_ns(const struct sim_sender *sender)
{
    if (!sender->transfer->probes || sender->ledger.bytes_in_flight == 0) {
        return SIM_NONE;
    }
    uint64_t doublings = sender->probes < MOST_DOUBLINGS ? sender->probes : MOST_DOUBLINGS;
    return sender->last_sent_ns + (probe_timeout_ns(sender) << doublings);
}
