/* The parts of the simulator one by one, for the tests in simulator_parts.py: links, the receiver's policy, and the sender. */
#include <stdlib.h>

#include "flow.h"

/* Links and the packets that cross them */

struct part_link {
    uint64_t kind; /* enum sim_hop_kind, but no SIM_BOTTLENECK */
    uint64_t rate_bps;
    uint64_t delay_ns; /* latency of a bucket */
    uint64_t bytes;    /* burst of a bucket, queue of CoDel */
};

struct part_packet {
    uint64_t t_ns; /* since the start of the run */
    uint64_t size_bytes;
    uint64_t arrived_ns; /* SIM_NONE: never */
};

struct crossing {
    struct sim_memory memory;
    struct sim_clock clock;
    struct sim_way way;
    struct sim_wire wires[4];
    struct sim_bucket buckets[4];
    struct sim_codel_link codels[4];
    struct part_packet *packets;
};

static void enter(void *subject, const union sim_argument *argument)
{
    sim_way_send(&((struct crossing *)subject)->way, &argument->packet);
}

static void arrive(void *subject, const union sim_argument *argument)
{
    struct crossing *crossing = subject;
    crossing->packets[argument->packet.of.data.packet].arrived_ns = crossing->clock.now_ns - SIM_ORIGIN_NS;
}

static void add_link(struct crossing *crossing, size_t index, const struct part_link *link)
{
    void *made = NULL;

    if (link->kind == SIM_WIRE) {
        crossing->wires[index] = (struct sim_wire){link->rate_bps, link->delay_ns, 0};
        made = &crossing->wires[index];
    } else if (link->kind == SIM_BUCKET) {
        crossing->buckets[index] = sim_bucket(link->rate_bps, link->bytes, link->delay_ns);
        made = &crossing->buckets[index];
    } else if (link->kind == SIM_CODEL) {
        crossing->codels[index] = sim_codel_link(&crossing->clock, link->rate_bps, link->delay_ns, link->bytes);
        made = &crossing->codels[index];
    }
    sim_take *take = link->kind == SIM_CODEL ? sim_codel_link_take : NULL;
    sim_way_add_meeting(&crossing->way, (enum sim_hop_kind)link->kind, take, made);
    crossing->way.hops[index].delay_ns = link->delay_ns;
}

static bool never(const void *context)
{
    (void)context;
    return false;
}

/* Send packets over links; return how many were dropped. */
uint64_t parts_cross(const struct part_link *links, size_t link_count, struct part_packet *packets, size_t count)
{
    struct crossing *crossing = calloc(1, sizeof *crossing);
    uint64_t dropped = 0;

    crossing->clock = (struct sim_clock){.memory = &crossing->memory, .now_ns = SIM_ORIGIN_NS};
    crossing->way = (struct sim_way){.clock = &crossing->clock, .deliver = arrive, .receiver = crossing};
    crossing->packets = packets;
    for (size_t i = 0; i < link_count; i++) {
        add_link(crossing, i, &links[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct sim_packet packet = {.wire_bytes = packets[i].size_bytes, .of.data.packet = i};
        packets[i].arrived_ns = SIM_NONE;
        sim_clock_packet(&crossing->clock, SIM_ORIGIN_NS + packets[i].t_ns, enter, crossing, &packet);
    }
    sim_clock_run(&crossing->clock, UINT64_MAX, never, NULL);
    for (size_t i = 0; i < link_count; i++) {
        dropped += crossing->buckets[i].dropped_packets + crossing->codels[i].codel.dropped_packets;
        free(crossing->codels[i].device.items);
        free(crossing->codels[i].codel.waiting.items);
    }
    free(crossing->clock.queue);
    free(crossing);
    return dropped;
}

/* The receiver */

struct sim_ack_policy *parts_acks_begin(const struct sim_receiver *receiver)
{
    struct sim_ack_policy *acks = calloc(1, sizeof *acks);
    *acks = (struct sim_ack_policy){.receiver = receiver, .deadline_ns = SIM_NONE};
    return acks;
}

bool parts_acks_arrived(struct sim_ack_policy *acks, uint64_t now_ns, uint64_t packet, uint64_t *deadline_ns)
{
    bool at_once = sim_ack_policy_arrived(acks, now_ns, packet);
    *deadline_ns = acks->deadline_ns;
    return at_once;
}

/* Return how many ranges are acknowledged. */
size_t parts_acks_acknowledge(struct sim_ack_policy *acks, uint64_t now_ns, struct ff_range ranges[2], uint64_t *delay_ns)
{
    struct sim_ack_frame frame = sim_ack_policy_acknowledge(acks, now_ns);
    ranges[0] = frame.ranges[0];
    ranges[1] = frame.ranges[1];
    *delay_ns = frame.ack_delay_ns;
    return frame.range_count;
}

/* The sender, with a controller outside */

struct part_sender {
    struct sim_memory memory;
    struct sim_transfer transfer;
    struct sim_outside outside;
    struct sim_sender sender;
};

struct part_state {
    uint64_t sent_packets; /* by the last call */
    uint64_t lost_packets;
    uint64_t latest_rtt_ns;
    uint64_t last_sent_ns;
    uint64_t probes;
    uint64_t loss_timer_ns;
    uint64_t probe_timer_ns;
};

struct part_sender *parts_sender_begin(const struct sim_transfer *transfer, const struct sim_outside *outside)
{
    struct part_sender *part = calloc(1, sizeof *part);

    part->transfer = *transfer;
    part->outside = *outside;
    part->sender.controller.outside = &part->outside;
    sim_in_loop_begin(&part->sender.controller, &part->memory, NULL, NULL, &part->transfer);
    sim_sender_begin(&part->sender, &part->memory, &part->transfer);
    return part;
}

void parts_sender_window(struct part_sender *part, uint64_t cwnd_bytes)
{
    part->sender.answer.cwnd_bytes = cwnd_bytes;
}

void parts_sender_handshake(struct part_sender *part, uint64_t now_ns, uint64_t sent_ns)
{
    sim_sender_sample_handshake(&part->sender, now_ns, sent_ns);
}

void parts_sender_send(struct part_sender *part, uint64_t now_ns)
{
    sim_sender_send(&part->sender, now_ns);
}

void parts_sender_probe(struct part_sender *part, uint64_t now_ns)
{
    sim_sender_probe(&part->sender, now_ns);
}

void parts_sender_on_ack(struct part_sender *part, uint64_t now_ns, uint64_t first, uint64_t last, uint64_t ack_delay_ns)
{
    struct sim_ack_frame frame = {.ranges = {{first, last}}, .range_count = 1, .ack_delay_ns = ack_delay_ns};
    sim_sender_on_ack(&part->sender, now_ns, &frame);
}

void parts_sender_detect_losses(struct part_sender *part, uint64_t now_ns)
{
    sim_detect_losses(&part->sender, now_ns, 0);
}

void parts_sender_state(const struct part_sender *part, struct part_state *state)
{
    const struct sim_sender *sender = &part->sender;

    *state = (struct part_state){
        .lost_packets = sender->lost_packets,
        .latest_rtt_ns = sender->rtt.latest_ns,
        .last_sent_ns = sender->last_sent_ns,
        .probes = sender->probes,
        .loss_timer_ns = sim_loss_timer_ns(sender),
        .probe_timer_ns = sim_probe_timer_ns(sender),
    };
    for (size_t i = 0; i < sender->sent.count; i++) {
        state->sent_packets += sender->sent.runs[i].last - sender->sent.runs[i].first + 1;
    }
}
