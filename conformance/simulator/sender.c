/* The sender: gets the window from the controller, maintains the ledger, and produces every event. */
#include "flow.h"

/* RTT sample of a coarse clock when no tick has passed (ns-3), in ns. */
#define LEAST_SAMPLE_NS 1000

/* Initialize a sender. Its controller already exists. */
void sim_sender_begin(struct sim_sender *sender, struct sim_memory *memory, const struct sim_transfer *transfer)
{
    sender->transfer = transfer;
    sender->memory = memory;
    sender->ledger.packets = (struct sim_span){.memory = memory, .item_size = sizeof(struct sim_sent_packet)};
    sender->rtt = (struct sim_rtt){.latest_ns = SIM_NONE, .min_ns = SIM_NONE, .smoothed_ns = SIM_NONE};
    sim_outbox_begin(&sender->outbox, memory, transfer);
    sim_sampler_begin(&sender->sampler, memory, transfer->samples_rate || sender->controller.samples_rate);
    sender->answer = (struct sim_answer){sender->controller.cwnd_bytes, FF_NONE, true};
    sender->receive_window_bytes = transfer->first_receive_window_bytes != SIM_NONE ? transfer->first_receive_window_bytes
                                                                                    : transfer->receive_window_bytes;
    sender->app_limited_from = sender->slow_start_end_ns = sender->first_sent_ns = sender->first_sample_ns = SIM_NONE;
}

/* Return whether all data is acknowledged. */
bool sim_sender_done(const struct sim_sender *sender)
{
    return sender->ledger.bytes_in_flight == 0 && sim_outbox_empty(&sender->outbox);
}

static uint64_t room_bytes(const struct sim_sender *sender)
{
    uint64_t cwnd_bytes = sender->answer.cwnd_bytes, in_flight_bytes = sender->ledger.bytes_in_flight;
    uint64_t window_bytes = cwnd_bytes < sender->receive_window_bytes ? cwnd_bytes : sender->receive_window_bytes;
    return window_bytes > in_flight_bytes ? window_bytes - in_flight_bytes : 0;
}

static bool fits(const struct sim_sender *sender, uint64_t size_bytes)
{
    return size_bytes <= room_bytes(sender);
}

/* Return whether only the pacer holds a packet back. */
bool sim_sender_wants_pacer(struct sim_sender *sender)
{
    if (!sim_paced(sender)) {
        return false;
    }
    uint64_t size_bytes = sim_outbox_next_size_bytes(&sender->outbox);
    return size_bytes > 0 && fits(sender, size_bytes);
}

/* Before all other events, record the saved path and the backlog. */
static void begin(struct sim_sender *sender, uint64_t now_ns)
{
    const struct sim_transfer *transfer = sender->transfer;
    bool saved = transfer->saved_cwnd_bytes != SIM_NONE;

    sender->begun = true;
    if (saved) {
        struct ff_event event = {.kind = FF_EVENT_SAVED_PATH, .t_ns = now_ns};
        event.saved_path = (struct ff_saved_path){
            .saved_cwnd_bytes = transfer->saved_cwnd_bytes,
            .saved_rtt_ns = transfer->saved_rtt_ns,
            .endpoint_matches = true,
            .expires_t_ns = UINT64_MAX,
            .max_jump_bytes = UINT64_MAX,
            .beta_numerator = 1,
            .beta_denominator = 2,
        };
        sim_sender_record(sender, &event);
    }
    if (saved || transfer->announced) {
        uint64_t window_bytes = transfer->receive_window_bytes < transfer->max_data_bytes ? transfer->receive_window_bytes
                                                                                          : transfer->max_data_bytes;
        struct ff_event event = {.kind = FF_EVENT_BACKLOG, .t_ns = now_ns};
        event.backlog.queued_bytes = transfer->transfer_bytes == SIM_NONE ? FF_WINDOW_MAX_BYTES : transfer->transfer_bytes;
        event.backlog.receive_window_bytes = window_bytes == SIM_NONE ? FF_WINDOW_MAX_BYTES : window_bytes;
        event.backlog.latest_rtt_ns = sender->rtt.latest_ns;
        sim_sender_record(sender, &event);
    }
}

static void add_repeated(struct sim_sender *sender, uint64_t name)
{
    struct ff_range *last = sender->repeated_count > 0 ? &sender->repeated[sender->repeated_count - 1] : NULL;

    if (last != NULL && last->last + 1 == name) {
        last->last = name;
        return;
    }
    if (sender->repeated_count == sender->repeated_capacity) {
        sender->repeated = sim_grow(sender->memory, sender->repeated, &sender->repeated_capacity, sender->repeated_count,
                                    sizeof *sender->repeated);
    }
    sender->repeated[sender->repeated_count++] = (struct ff_range){name, name};
}

/* Send packets of one size; they extend the last run if its packets have the same size. */
static void append(struct sim_sender *sender, uint64_t size_bytes, uint64_t count, uint64_t now_ns)
{
    struct sim_runs *sent = &sender->sent;
    uint64_t packet = sender->ledger.packets.end;
    uint64_t name = sim_outbox_take(&sender->outbox, packet, size_bytes, count);

    if (name != SIM_NONE) {
        add_repeated(sender, name);
    }
    sim_ledger_send(&sender->ledger, count, size_bytes, now_ns);
    if (sent->count > 0 && sent->runs[sent->count - 1].size_bytes == size_bytes) {
        sent->runs[sent->count - 1].last += count;
    } else {
        sim_runs_add(sent, sender->memory, (struct ff_run){packet, packet + count - 1, size_bytes, now_ns});
    }
}

static void record_sent(struct sim_sender *sender, uint64_t bytes_before, uint64_t now_ns)
{
    uint64_t full_bytes = sender->transfer->max_datagram_size_bytes;
    bool limited = sim_outbox_next_size_bytes(&sender->outbox) == 0 && fits(sender, full_bytes);
    struct ff_event event = {.kind = FF_EVENT_SENT, .t_ns = now_ns};

    sender->app_limited_from = limited ? sender->sent.runs[0].first : SIM_NONE;
    sender->last_sent_ns = now_ns;
    if (sender->first_sent_ns == SIM_NONE) {
        sender->first_sent_ns = now_ns;
    }
    event.sent = (struct ff_sent){
        .packets = sender->sent.runs,
        .run_count = sender->sent.count,
        .bytes = sender->ledger.bytes_in_flight - bytes_before,
        .bytes_in_flight = sender->ledger.bytes_in_flight,
        .app_limited = limited,
        .retransmits = sender->repeated,
        .retransmit_count = sender->repeated_count,
    };
    sim_sender_record(sender, &event);
}

/* Return how many packets of this size may leave now; with pacing at most one. */
static uint64_t count_alike(const struct sim_sender *sender, uint64_t size_bytes, uint64_t now_ns)
{
    if (sim_paced(sender)) {
        return sender->release_ns <= now_ns && fits(sender, size_bytes);
    }
    return sim_outbox_count_alike(&sender->outbox, size_bytes, room_bytes(sender) / size_bytes);
}

/* Send the packets that may leave now. With `probing` the first packet leaves regardless of the window. */
static void send(struct sim_sender *sender, uint64_t now_ns, bool probing)
{
    uint64_t bytes_before = sender->ledger.bytes_in_flight, size_bytes;

    sender->sent.count = 0;
    sender->repeated_count = 0;
    while ((size_bytes = sim_outbox_next_size_bytes(&sender->outbox)) > 0) {
        bool first = sender->sent.count == 0;
        uint64_t alike = probing && first ? 1 : count_alike(sender, size_bytes, now_ns);
        if (alike == 0) {
            break;
        }
        append(sender, size_bytes, alike, now_ns);
        if (sim_paced(sender)) {
            sim_hold_back(sender, size_bytes, now_ns);
        }
        if (sender->answer.next_release_ns != FF_NONE) {
            break; /* the controller sets the release time of the next packet */
        }
    }
    if (sender->sent.count > 0) {
        record_sent(sender, bytes_before, now_ns);
    }
}

/* Send the packets that the windows, the pacer and the data allow. */
void sim_sender_send(struct sim_sender *sender, uint64_t now_ns)
{
    if (!sender->begun) {
        begin(sender, now_ns);
    }
    send(sender, now_ns, false);
}

/* Send one packet regardless of the window: new data, or the data of the oldest packet (RFC 9002, section 6.2.4). */
void sim_sender_probe(struct sim_sender *sender, uint64_t now_ns)
{
    uint64_t oldest = sender->ledger.packets.oldest;

    sim_sender_check_app_limited(sender);
    sender->probes++;
    sender->probe_timeouts++;
    sim_outbox_probe(&sender->outbox, oldest, sim_ledger_find(&sender->ledger, oldest)->size_bytes);
    send(sender, now_ns, true);
}

/* Take an RTT sample and return it: from exact times, or from the timestamp of the oldest packet of an ACK. */
static uint64_t sample(struct sim_sender *sender, uint64_t now_ns, uint64_t sent_ns, uint64_t oldest_ns, uint64_t ack_delay_ns)
{
    uint64_t tick_ns = sender->transfer->rtt_tick_ns, latest_ns = now_ns - sent_ns;

    if (sender->first_sample_ns == SIM_NONE) {
        sender->first_sample_ns = now_ns;
    }
    if (tick_ns != SIM_NONE) {
        latest_ns = (now_ns / tick_ns - oldest_ns / tick_ns) * tick_ns;
        latest_ns = latest_ns > 0 ? latest_ns : LEAST_SAMPLE_NS;
        ack_delay_ns = 0;
    }
    sim_rtt_sample(&sender->rtt, latest_ns, ack_delay_ns);
    return latest_ns;
}

/* Take the RTT sample of the handshake. */
void sim_sender_sample_handshake(struct sim_sender *sender, uint64_t now_ns, uint64_t sent_ns)
{
    sample(sender, now_ns, sent_ns, sent_ns, 0);
}

/* Remove the packets in flight that a frame acknowledges from the ledger. */
static void take_acked(struct sim_sender *sender, const struct sim_ack_frame *frame)
{
    sender->acked.count = 0;
    sender->acked.bytes = 0;
    for (size_t i = 0; i < frame->range_count; i++) {
        for (uint64_t packet = frame->ranges[i].first; packet <= frame->ranges[i].last; packet++) {
            if (sim_ledger_find(&sender->ledger, packet) != NULL) {
                sim_runs_add(&sender->acked, sender->memory, sim_ledger_take(&sender->ledger, packet));
            }
        }
    }
}

/* Process an ACK frame: first losses, then the acknowledged packets (RFC 9002, appendix A.7). */
void sim_sender_on_ack(struct sim_sender *sender, uint64_t now_ns, const struct sim_ack_frame *frame)
{
    const struct sim_runs *acked = &sender->acked;
    uint64_t latest_ns = FF_NO_RTT_NS, next_packet = sender->ledger.packets.end;

    sim_sender_check_app_limited(sender);
    sender->receive_window_bytes = sender->transfer->receive_window_bytes;
    sender->outbox.max_data_bytes = frame->max_data_bytes;
    take_acked(sender, frame);
    sim_outbox_acked(&sender->outbox, frame, acked->bytes);
    if (acked->count == 0) {
        return; /* all of it was declared lost before */
    }
    const struct ff_run *largest = &acked->runs[acked->count - 1];
    if (largest->last >= sender->acked_end) {
        sender->acked_end = largest->last + 1;
        latest_ns = sample(sender, now_ns, largest->sent_t_ns, acked->runs[0].sent_t_ns, frame->ack_delay_ns);
    }
    sender->probes = 0;
    sim_detect_losses(sender, now_ns, acked->bytes);
    struct ff_event event = {.kind = FF_EVENT_ACK, .t_ns = now_ns};
    event.ack = (struct ff_ack){
        .packets = acked->runs,
        .run_count = acked->count,
        .bytes = acked->bytes,
        .bytes_in_flight = sender->ledger.bytes_in_flight,
        .next_packet = next_packet,
        .app_limited = sender->app_limited_from != SIM_NONE && largest->last >= sender->app_limited_from,
        .latest_rtt_ns = latest_ns,
        .min_rtt_ns = sender->rtt.min_ns,
        .smoothed_rtt_ns = sender->rtt.smoothed_ns,
        .ack_delay_ns = frame->ack_delay_ns,
        .oldest_unacked_packet = sim_outbox_oldest_unacked(&sender->outbox, next_packet),
        .rate_delivered_bytes = FF_NO_SAMPLE,
        .rate_interval_ns = FF_NO_SAMPLE,
        .rate_prior_delivered_bytes = FF_NO_SAMPLE,
        .rate_in_flight_bytes = FF_NO_SAMPLE,
        .rate_lost_bytes = FF_NO_SAMPLE,
    };
    sim_sender_record(sender, &event);
}

void sim_sender_check_app_limited(struct sim_sender *sender)
{
    uint64_t in_flight_bytes = sender->ledger.bytes_in_flight;

    if (sender->sampler.on && in_flight_bytes < sender->answer.cwnd_bytes && sim_outbox_next_size_bytes(&sender->outbox) == 0) {
        sim_sampler_hold_back(&sender->sampler, in_flight_bytes);
    }
}
