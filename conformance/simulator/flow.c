/* One flow: sender, receiver, their timers, and optionally handshake and teardown. */
#include <stdlib.h>

#include "flow.h"

/* Most repetitions of a SYN or FIN; each interval is twice the previous one. */
#define MOST_REPEATS 10

static const struct sim_ack_frame NOTHING = {.range_count = 0};

static sim_action at_receiver, at_sender, send_now, send_syn, repeat_fin, paced, delayed_ack, on_loss_timer, on_probe_timer;

void sim_flow_begin(struct sim_flow *flow, struct sim_clock *clock, const struct sim_transfer *transfer,
                    const struct sim_receiver *receiver)
{
    flow->clock = clock;
    flow->transfer = transfer;
    sim_sender_begin(&flow->sender, clock->memory, transfer);
    flow->acks = (struct sim_ack_policy){.receiver = receiver, .deadline_ns = SIM_NONE};
    flow->delivered.missing = (struct sim_span){.memory = clock->memory, .item_size = sizeof(bool)};
    flow->there = (struct sim_way){.clock = clock, .deliver = at_receiver, .receiver = flow};
    flow->back = (struct sim_way){.clock = clock, .deliver = at_sender, .receiver = flow};
    flow->started_ns = flow->established_ns = flow->completed_ns = flow->acknowledged_ns = flow->finished_ns = SIM_NONE;
    flow->loss_timer_ns = flow->probe_timer_ns = flow->pacer_ns = SIM_NONE;
    flow->max_data_bytes = flow->max_data_window_bytes = transfer->max_data_bytes;
}

/* Begin now, with the handshake if configured. */
void sim_flow_start(void *subject, const union sim_argument *none)
{
    struct sim_flow *flow = subject;

    flow->started_ns = flow->clock->now_ns;
    (flow->transfer->syn_bytes == SIM_NONE ? send_now : send_syn)(flow, none);
}

/* Handshake and teardown */

static void send_syn(void *subject, const union sim_argument *none)
{
    struct sim_flow *flow = subject;

    (void)none;
    if (flow->established_ns == SIM_NONE && flow->syn_repeats <= MOST_REPEATS) {
        uint64_t again_ns = flow->clock->now_ns + (flow->transfer->retry_ns << flow->syn_repeats++);
        sim_clock_timer(flow->clock, again_ns, send_syn, flow, again_ns);
        sim_way_send(&flow->there, &(struct sim_packet){.wire_bytes = flow->transfer->syn_bytes, .kind = SIM_SYN});
    }
}

static void on_syn_ack(struct sim_flow *flow)
{
    uint64_t now_ns = flow->clock->now_ns;

    if (flow->established_ns != SIM_NONE) {
        return;
    }
    flow->established_ns = now_ns;
    if (flow->syn_repeats == 1) { /* after a repetition the answer is ambiguous */
        sim_sender_sample_handshake(&flow->sender, now_ns, flow->started_ns);
    }
    sim_way_send(&flow->there, &(struct sim_packet){.wire_bytes = flow->transfer->ack_bytes, .kind = SIM_SYN_ACKED});
    sim_clock_timer(flow->clock, now_ns + flow->transfer->data_after_ns, send_now, flow, now_ns);
}

/* Send a FIN with an ACK, which may be empty. */
static void send_fin(struct sim_flow *flow, const struct sim_ack_frame *acked)
{
    if (flow->finished_ns == SIM_NONE && flow->fin_repeats <= MOST_REPEATS) {
        uint64_t again_ns = flow->clock->now_ns + (flow->transfer->retry_ns << flow->fin_repeats++);
        sim_clock_timer(flow->clock, again_ns, repeat_fin, flow, again_ns);
        sim_way_send(&flow->back, &(struct sim_packet){flow->transfer->ack_bytes, SIM_FIN, {.ack = *acked}});
    }
}

static void repeat_fin(void *subject, const union sim_argument *none)
{
    (void)none;
    send_fin(subject, &NOTHING);
}

static void finish(struct sim_flow *flow)
{
    if (flow->finished_ns == SIM_NONE) {
        flow->finished_ns = flow->clock->now_ns;
        if (flow->unfinished != NULL) {
            --*flow->unfinished;
        }
    }
}

/* Data towards the receiver */

static void set_probe_timer(struct sim_flow *flow);

/* Forward the sent packets onto the path. */
static void forward_runs(struct sim_flow *flow)
{
    const struct sim_sender *sender = &flow->sender;
    const struct sim_runs *sent = &sender->sent;

    if (sent->count == 0) {
        return;
    }
    uint64_t last = sim_outbox_empty(&sender->outbox) ? sent->runs[sent->count - 1].last : SIM_NONE;
    for (size_t i = 0; i < sent->count; i++) {
        const struct ff_run *run = &sent->runs[i];
        for (uint64_t number = run->first; number <= run->last; number++) {
            uint64_t name = flow->transfer->named_data ? sim_outbox_name_of(&sender->outbox, number) : SIM_NONE;
            struct sim_packet packet = {.wire_bytes = run->size_bytes + flow->transfer->header_bytes, .kind = SIM_DATA};
            packet.of.data = (struct sim_data){number, name, run->size_bytes, number == last};
            sim_way_send(&flow->there, &packet);
        }
    }
    set_probe_timer(flow);
}

static void send_now(void *subject, const union sim_argument *none)
{
    struct sim_flow *flow = subject;
    uint64_t now_ns = flow->clock->now_ns;

    (void)none;
    sim_sender_send(&flow->sender, now_ns);
    forward_runs(flow);
    if (flow->pacer_ns == SIM_NONE && sim_sender_wants_pacer(&flow->sender)) {
        flow->pacer_ns = flow->sender.release_ns > now_ns ? flow->sender.release_ns : now_ns;
        sim_clock_timer(flow->clock, flow->pacer_ns, paced, flow, flow->pacer_ns);
    }
}

static void paced(void *subject, const union sim_argument *none)
{
    ((struct sim_flow *)subject)->pacer_ns = SIM_NONE;
    send_now(subject, none);
}

/* Return the ACK of the arrived packets. Every ACK repeats the data limit, so a later ACK replaces a lost one. */
static struct sim_ack_frame ack_frame(struct sim_flow *flow)
{
    struct sim_ack_frame frame = sim_ack_policy_acknowledge(&flow->acks, flow->clock->now_ns);

    frame.max_data_bytes = flow->max_data_bytes;
    return frame;
}

static void acknowledge(struct sim_flow *flow)
{
    struct sim_packet packet = {.wire_bytes = flow->transfer->ack_bytes, .kind = SIM_ACK};

    packet.of.ack = ack_frame(flow);
    sim_way_send(&flow->back, &packet);
}

/* Answer the FIN after all data has arrived. `fills_gap`: the FIN arrived before the missing data. */
static void close_flow(struct sim_flow *flow, bool fills_gap)
{
    if (flow->fin_repeats > 0) {
        acknowledge(flow);
    } else if (fills_gap && flow->transfer->fin_acknowledges) {
        struct sim_ack_frame frame = ack_frame(flow);
        send_fin(flow, &frame);
    } else {
        acknowledge(flow);
        send_fin(flow, &NOTHING);
    }
}

/* Raise the data limit once half of the window is used (MAX_DATA; RFC 9000, section 4.2, as in quicly). */
static void raise_max_data(struct sim_flow *flow)
{
    uint64_t window_bytes = flow->max_data_window_bytes;

    if (flow->max_data_bytes - flow->delivered.bytes <= window_bytes / 2) {
        window_bytes *= flow->transfer->max_data_factor;
        flow->max_data_window_bytes = window_bytes < SIM_SIZE_MAX_BYTES ? window_bytes : SIM_SIZE_MAX_BYTES;
        flow->max_data_bytes = flow->delivered.bytes + flow->max_data_window_bytes;
    }
}

static void on_data(struct sim_flow *flow, const struct sim_data *data)
{
    const struct sim_in_loop *loop = &flow->sender.controller;
    uint64_t now_ns = flow->clock->now_ns;
    bool fills_gap = flow->fin_arrived;

    sim_delivered_add(&flow->delivered, data);
    if (flow->max_data_bytes != SIM_NONE) {
        raise_max_data(flow);
    }
    if (loop->watch->arrived != NULL) {
        loop->watch->arrived(loop->watch->context, loop->flow, now_ns, data->packet, data->name, data->size_bytes);
    }
    bool at_once = sim_ack_policy_arrived(&flow->acks, now_ns, data->packet);
    flow->fin_arrived |= data->last;
    if (flow->delivered.bytes == flow->transfer->transfer_bytes && flow->completed_ns == SIM_NONE) {
        flow->completed_ns = now_ns;
    }
    if (flow->fin_arrived && flow->completed_ns != SIM_NONE && flow->transfer->syn_bytes != SIM_NONE) {
        close_flow(flow, fills_gap);
    } else if (at_once) {
        acknowledge(flow);
    } else if (flow->acks.pending_packets == 1) {
        sim_clock_timer(flow->clock, flow->acks.deadline_ns, delayed_ack, flow, flow->acks.deadline_ns);
    }
}

static void at_receiver(void *subject, const union sim_argument *argument)
{
    struct sim_flow *flow = subject;
    const struct sim_packet *packet = &argument->packet;

    if (packet->kind == SIM_DATA) {
        on_data(flow, &packet->of.data);
    } else if (packet->kind == SIM_SYN) {
        sim_way_send(&flow->back, &(struct sim_packet){.wire_bytes = flow->transfer->syn_bytes, .kind = SIM_SYN_ACK});
    } else if (packet->kind == SIM_FIN_ACKED) {
        finish(flow);
    }
}

static void delayed_ack(void *subject, const union sim_argument *argument)
{
    struct sim_flow *flow = subject;

    if (flow->acks.deadline_ns == argument->timer_ns) {
        acknowledge(flow);
    }
}

/* ACKs towards the sender, and its timers */

static void after_losses(struct sim_flow *flow)
{
    uint64_t now_ns = flow->clock->now_ns;
    uint64_t timer_ns = sim_loss_timer_ns(&flow->sender);

    if (timer_ns != SIM_NONE && timer_ns != flow->loss_timer_ns) {
        flow->loss_timer_ns = timer_ns;
        sim_clock_timer(flow->clock, timer_ns > now_ns ? timer_ns : now_ns, on_loss_timer, flow, timer_ns);
    }
    send_now(flow, NULL);
    set_probe_timer(flow);
}

static void on_ack(struct sim_flow *flow, const struct sim_ack_frame *frame)
{
    sim_sender_on_ack(&flow->sender, flow->clock->now_ns, frame);
    after_losses(flow);
    if (flow->acknowledged_ns == SIM_NONE && sim_sender_done(&flow->sender)) {
        flow->acknowledged_ns = flow->clock->now_ns;
        if (flow->transfer->syn_bytes == SIM_NONE) {
            finish(flow);
        }
    }
}

static void at_sender(void *subject, const union sim_argument *argument)
{
    struct sim_flow *flow = subject;
    const struct sim_packet *packet = &argument->packet;

    if (packet->kind == SIM_SYN_ACK) {
        on_syn_ack(flow);
    } else if (packet->of.ack.range_count > 0) {
        on_ack(flow, &packet->of.ack);
    }
    if (packet->kind == SIM_FIN) {
        sim_way_send(&flow->there, &(struct sim_packet){.wire_bytes = packet->wire_bytes, .kind = SIM_FIN_ACKED});
    }
}

static void on_loss_timer(void *subject, const union sim_argument *argument)
{
    struct sim_flow *flow = subject;

    if (argument->timer_ns == flow->loss_timer_ns) {
        flow->loss_timer_ns = SIM_NONE;
        sim_sender_check_app_limited(&flow->sender);
        sim_detect_losses(&flow->sender, flow->clock->now_ns, 0);
        after_losses(flow);
    }
}

/* Schedule the probe timer unless an action is scheduled; that action checks the due time again. */
static void set_probe_timer(struct sim_flow *flow)
{
    uint64_t now_ns = flow->clock->now_ns;

    if (flow->probe_timer_ns == SIM_NONE) {
        flow->probe_timer_ns = sim_probe_timer_ns(&flow->sender);
        if (flow->probe_timer_ns != SIM_NONE) {
            flow->probe_timer_ns = flow->probe_timer_ns > now_ns ? flow->probe_timer_ns : now_ns;
            sim_clock_timer(flow->clock, flow->probe_timer_ns, on_probe_timer, flow, flow->probe_timer_ns);
        }
    }
}

static void on_probe_timer(void *subject, const union sim_argument *none)
{
    struct sim_flow *flow = subject;
    uint64_t now_ns = flow->clock->now_ns, due_ns = sim_probe_timer_ns(&flow->sender);

    (void)none;
    flow->probe_timer_ns = SIM_NONE;
    if (due_ns != SIM_NONE && due_ns <= now_ns) {
        struct ff_event event = {.kind = FF_EVENT_PTO, .t_ns = now_ns};
        sim_sender_record(&flow->sender, &event);
        sim_sender_probe(&flow->sender, now_ns);
        forward_runs(flow);
    }
    set_probe_timer(flow);
}

void sim_flow_release(struct sim_flow *flow)
{
    struct sim_sender *sender = &flow->sender;

    free(sender->ledger.packets.items);
    free(sender->outbox.again.items);
    free(sender->outbox.names.items);
    free(sender->sampler.notes.items);
    free(sender->sent.runs);
    free(sender->repeated);
    free(sender->acked.runs);
    free(sender->lost.runs);
    free(flow->delivered.missing.items);
}
