/* The sender's data of a transfer: data waiting to be sent for the first time, and lost data. */
#include "flow.h"

/* Lost data waiting for retransmission. */
struct piece {
    uint64_t name;
    uint64_t size_bytes;
};

/* Data of a packet. */
struct named {
    uint64_t name; /* the packet whose data it repeats, or SIM_NONE */
    bool closed;   /* its data is acknowledged, or it repeats other data */
};

void sim_outbox_begin(struct sim_outbox *outbox, struct sim_memory *memory, const struct sim_transfer *transfer)
{
    *outbox = (struct sim_outbox){
        .transfer = transfer,
        .left_bytes = transfer->transfer_bytes,
        .max_data_bytes = transfer->max_data_bytes,
        .again = {.memory = memory, .item_size = sizeof(struct piece)},
        .names = {.memory = memory, .item_size = sizeof(struct named)},
        .probe = {SIM_NONE, SIM_NONE},
    };
}

static bool is_acked(const struct sim_outbox *outbox, uint64_t name)
{
    return name < outbox->names.oldest || ((const struct named *)sim_span_at(&outbox->names, name))->closed;
}

/* Return the packet whose data `packet` carries: `packet` itself if the entry is gone. */
static uint64_t data_of(const struct sim_outbox *outbox, uint64_t packet)
{
    uint64_t name = sim_outbox_name_of(outbox, packet);
    return name != SIM_NONE ? name : packet;
}

static void close_name(struct sim_outbox *outbox, uint64_t name)
{
    struct sim_span *names = &outbox->names;

    if (name < names->oldest) {
        return;
    }
    ((struct named *)sim_span_at(names, name))->closed = true;
    while (names->oldest < names->end && ((const struct named *)sim_span_at(names, names->oldest))->closed) {
        names->oldest++;
    }
}

/* Return whether all data was sent and all lost data was retransmitted. */
bool sim_outbox_empty(const struct sim_outbox *outbox)
{
    return outbox->left_bytes == 0 && outbox->again.count == 0;
}

/* Return the bytes written by the application: whole writes that fit into the send buffer. */
static uint64_t written_bytes(const struct sim_outbox *outbox)
{
    const struct sim_transfer *transfer = outbox->transfer;
    uint64_t room_bytes = outbox->acked_bytes + transfer->send_buffer_bytes;

    return transfer->transfer_bytes <= room_bytes ? transfer->transfer_bytes
                                                  : room_bytes / transfer->write_bytes * transfer->write_bytes;
}

/* Return the total of new data that application and receiver allow, or SIM_NONE without a limit. */
static uint64_t allowed_bytes(const struct sim_outbox *outbox)
{
    uint64_t written = outbox->transfer->send_buffer_bytes == SIM_NONE ? SIM_NONE : written_bytes(outbox);
    return written < outbox->max_data_bytes ? written : outbox->max_data_bytes;
}

/* Return how much new data may be sent; SIM_NONE, larger than any packet, for an unlimited transfer. */
static uint64_t ready_bytes(const struct sim_outbox *outbox)
{
    uint64_t allowed = allowed_bytes(outbox);

    if (allowed == SIM_NONE) {
        return outbox->left_bytes;
    }
    uint64_t ready = allowed - outbox->sent_bytes;
    return ready < outbox->left_bytes ? ready : outbox->left_bytes;
}

/* Return the size of the next packet, or 0 if no data can be sent now. */
uint64_t sim_outbox_next_size_bytes(struct sim_outbox *outbox)
{
    while (outbox->again.count > 0) {
        const struct piece *first = sim_ring_first(&outbox->again);
        if (outbox->probing || !is_acked(outbox, first->name)) {
            return first->size_bytes;
        }
        sim_ring_drop(&outbox->again);
    }
    uint64_t ready = ready_bytes(outbox);
    return ready < outbox->transfer->max_datagram_size_bytes ? ready : outbox->transfer->max_datagram_size_bytes;
}

/* Return how many of the next packets, up to `most`, have the size of the first. Retransmissions leave one by one. */
uint64_t sim_outbox_count_alike(const struct sim_outbox *outbox, uint64_t size_bytes, uint64_t most)
{
    uint64_t alike = outbox->again.count > 0 ? 1 : ready_bytes(outbox) / size_bytes;
    return alike < most ? alike : most;
}

uint64_t sim_outbox_take(struct sim_outbox *outbox, uint64_t packet, uint64_t size_bytes, uint64_t count)
{
    uint64_t name = SIM_NONE;

    if (outbox->again.count > 0) {
        name = ((const struct piece *)sim_ring_first(&outbox->again))->name;
        sim_ring_drop(&outbox->again);
        if (outbox->probing) {
            outbox->probe.packet = packet;
            outbox->probe.name = name;
        }
        outbox->probing = false;
    } else {
        outbox->left_bytes -= outbox->left_bytes == SIM_NONE ? 0 : count * size_bytes;
        outbox->sent_bytes += count * size_bytes;
    }
    for (uint64_t i = 0; outbox->transfer->named_data && i < count; i++) {
        *(struct named *)sim_span_add(&outbox->names) = (struct named){name, false};
    }
    if (name != SIM_NONE) {
        close_name(outbox, packet);
    }
    return name;
}

/* Queue the data of lost packets for retransmission. Named data is skipped if it has arrived in another packet. */
void sim_outbox_lost(struct sim_outbox *outbox, const struct ff_run *packets, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t size_bytes = packets[i].size_bytes;
        if (!outbox->transfer->named_data) {
            outbox->left_bytes += outbox->left_bytes == SIM_NONE ? 0 : size_bytes;
        } else if (!is_acked(outbox, data_of(outbox, packets[i].first))) {
            *(struct piece *)sim_ring_add(&outbox->again) =
                (struct piece){data_of(outbox, packets[i].first), size_bytes};
        }
    }
}

/* Process packets that arrived; `new_bytes` of them were in flight. */
void sim_outbox_acked(struct sim_outbox *outbox, const struct sim_ack_frame *frame, uint64_t new_bytes)
{
    outbox->acked_bytes += new_bytes;
    for (size_t i = 0; outbox->transfer->named_data && i < frame->range_count; i++) {
        for (uint64_t packet = frame->ranges[i].first; packet <= frame->ranges[i].last; packet++) {
            close_name(outbox, data_of(outbox, packet));
        }
    }
}

/* Without other data, queue the data of the oldest packet in flight, even if it has arrived in another packet. */
void sim_outbox_probe(struct sim_outbox *outbox, uint64_t oldest, uint64_t size_bytes)
{
    if (sim_outbox_next_size_bytes(outbox) > 0) {
        return;
    }
    if (outbox->transfer->named_data) {
        uint64_t name = data_of(outbox, oldest);
        outbox->probing = is_acked(outbox, name);
        *(struct piece *)sim_ring_add(&outbox->again) = (struct piece){outbox->probing ? oldest : name, size_bytes};
    } else {
        outbox->left_bytes += size_bytes;
    }
}

/* Return the packet whose data `packet` repeats, or SIM_NONE if its data is its own or acknowledged. */
uint64_t sim_outbox_name_of(const struct sim_outbox *outbox, uint64_t packet)
{
    if (packet == outbox->probe.packet) {
        return outbox->probe.name;
    }
    return packet < outbox->names.oldest ? SIM_NONE : ((const struct named *)sim_span_at(&outbox->names, packet))->name;
}

/* Return the first packet whose data is not acknowledged, or `next_packet`; FF_NO_PACKET if data is unnamed. */
uint64_t sim_outbox_oldest_unacked(const struct sim_outbox *outbox, uint64_t next_packet)
{
    if (!outbox->transfer->named_data) {
        return FF_NO_PACKET;
    }
    return outbox->names.oldest < next_packet ? outbox->names.oldest : next_packet;
}
