/*
 * The packet functions of loss_detection.c of msquic, for its BBR: QuicLossDetectionOnPacketSent,
 * QuicLossDetectionProcessAckBlocks and QuicLossDetectionDetectAndHandleLostPackets without the detection of losses,
 * which the vector reports.
 *
 * No packet makes the stack application-limited. QuicLossDetectionOnPacketSent requires a stream in the list of streams
 * with data to send that cannot send and has less than a datagram unacknowledged. A stream that has written all data is
 * not in the list. So only flow control can cause this, and vectors lack flow control.
 */
#include "precomp.h"

#include "adapter.h"

static int on_packet_sent(QUIC_CONNECTION *connection, uint64_t number, uint64_t size_bytes)
{
    QUIC_LOSS_DETECTION *detection = &connection->LossDetection;
    QUIC_CONGESTION_CONTROL *cc = &connection->CongestionControl;
    QUIC_SENT_PACKET_METADATA *packet = calloc(1, SIZEOF_QUIC_SENT_PACKET_METADATA(0));

    if (packet == NULL) {
        return FIRSTFLIGHT_FAULT;
    }
    connection->Send.NextPacketNumber = number + 1;
    packet->PacketNumber = number;
    packet->PacketLength = (uint16_t)size_bytes;
    packet->SentTime = now_us;
    packet->Flags.IsAckEliciting = TRUE;
    detection->LargestSentPacketNumber = number;
    *detection->SentPacketsTail = packet;
    detection->SentPacketsTail = &packet->Next;
    detection->PacketsInFlight++;
    detection->TimeOfLastPacketSent = now_us;
    cc->QuicCongestionControlOnDataSent(cc, packet->PacketLength);
    packet->Flags.IsAppLimited = cc->QuicCongestionControlIsAppLimited(cc);
    detection->TotalBytesSent += packet->PacketLength;
    packet->TotalBytesSent = detection->TotalBytesSent;
    if (detection->TimeOfLastPacketAcked != 0) {
        packet->Flags.HasLastAckedPacketInfo = TRUE;
        packet->LastAckedPacketInfo.SentTime = detection->TimeOfLastAckedPacketSent;
        packet->LastAckedPacketInfo.AckTime = detection->TimeOfLastPacketAcked;
        packet->LastAckedPacketInfo.AdjustedAckTime = detection->AdjustedLastAckedTime;
        packet->LastAckedPacketInfo.TotalBytesSent = detection->TotalBytesSentAtLastAck;
        packet->LastAckedPacketInfo.TotalBytesAcked = detection->TotalBytesAcked;
    }
    return FIRSTFLIGHT_OBSERVED;
}

static int on_sent(QUIC_CONNECTION *connection, const struct firstflight_event *event)
{
    for (uint64_t i = 0; i < event->run_count; i++) {
        const struct firstflight_run *run = &event->packets[i];
        for (uint64_t number = run->first; number <= run->last; number++) {
            const int result = on_packet_sent(connection, number, run->size_bytes);
            if (result != FIRSTFLIGHT_OBSERVED) {
                return result;
            }
        }
    }
    return FIRSTFLIGHT_OBSERVED;
}

/* Move the packets of a run from one list to the end of another, and return their bytes. */
static uint32_t move(QUIC_SENT_PACKET_METADATA ***from_tail, QUIC_SENT_PACKET_METADATA **from, QUIC_SENT_PACKET_METADATA ***to_tail,
                     const struct firstflight_run *run)
{
    uint32_t bytes = 0;

    while (*from != NULL && (*from)->PacketNumber < run->first) {
        from = &(*from)->Next;
    }
    while (*from != NULL && (*from)->PacketNumber <= run->last) {
        QUIC_SENT_PACKET_METADATA *packet = *from;
        *from = packet->Next;
        if (*from_tail == &packet->Next) {
            *from_tail = from;
        }
        bytes += packet->PacketLength;
        packet->Next = NULL;
        **to_tail = packet;
        *to_tail = &packet->Next;
    }
    return bytes;
}

static void discard(QUIC_SENT_PACKET_METADATA **list)
{
    while (*list != NULL) {
        QUIC_SENT_PACKET_METADATA *packet = *list;
        *list = packet->Next;
        free(packet);
    }
}

/* Lost packets are remembered for two probe timeouts. */
static void forget_lost(QUIC_CONNECTION *connection)
{
    QUIC_LOSS_DETECTION *detection = &connection->LossDetection;
    const QUIC_PATH *path = &connection->Paths[0];
    const uint64_t timeout_us =
        path->SmoothedRtt + 4 * path->RttVariance + MS_TO_US(connection->PeerTransportParams.MaxAckDelay);
    QUIC_SENT_PACKET_METADATA *packet;

    while ((packet = detection->LostPackets) != NULL && packet->PacketNumber < detection->LargestAck &&
           now_us - packet->SentTime > 2 * timeout_us) {
        detection->LostPackets = packet->Next;
        free(packet);
    }
    if (detection->LostPackets == NULL) {
        detection->LostPacketsTail = &detection->LostPackets;
    }
}

/* QuicLossDetectionOnPacketAcknowledged. */
static void on_packet_acked(QUIC_LOSS_DETECTION *detection, const QUIC_SENT_PACKET_METADATA *packet, const QUIC_ACK_EVENT *ack)
{
    detection->TotalBytesAcked += packet->PacketLength;
    detection->TotalBytesSentAtLastAck = packet->TotalBytesSent;
    detection->TimeOfLastPacketAcked = ack->TimeNow;
    detection->TimeOfLastAckedPacketSent = packet->SentTime;
    detection->AdjustedLastAckedTime = ack->AdjustedAckTime;
}

static void on_ack(struct packets *self, QUIC_CONNECTION *connection, const struct firstflight_event *event)
{
    QUIC_LOSS_DETECTION *detection = &connection->LossDetection;
    QUIC_CONGESTION_CONTROL *cc = &connection->CongestionControl;
    QUIC_SENT_PACKET_METADATA **acked_tail = &self->acked;
    const uint64_t ack_delay_us = event->ack_delay_ns / 1000;
    const uint64_t largest = event->packets[event->run_count - 1].last;
    const BOOLEAN new_largest = detection->LargestAck <= largest;
    QUIC_ACK_EVENT ack = {.TimeNow = now_us, .AdjustedAckTime = now_us - ack_delay_us, .MinRtt = UINT64_MAX, .MinRttValid = TRUE};

    for (uint64_t i = 0; i < event->run_count; i++) {
        move(&detection->LostPacketsTail, &detection->LostPackets, &acked_tail, &event->packets[i]);
        ack.NumRetransmittableBytes +=
            move(&detection->SentPacketsTail, &detection->SentPackets, &acked_tail, &event->packets[i]);
    }
    for (const QUIC_SENT_PACKET_METADATA *packet = self->acked; packet != NULL; packet = packet->Next) {
        ack.MinRtt = CXPLAT_MIN(ack.MinRtt, now_us - packet->SentTime);
        if (packet->PacketNumber == largest) {
            ack.IsLargestAckedPacketAppLimited = packet->Flags.IsAppLimited;
        }
        on_packet_acked(detection, packet, &ack);
    }
    if (new_largest) {
        detection->LargestAck = largest;
        if (ack.MinRtt >= ack_delay_us) {
            ack.MinRtt -= ack_delay_us;
        }
        update_rtt(&connection->Paths[0], ack.MinRtt);
        forget_lost(connection);
    }
    ack.LargestAck = detection->LargestAck;
    ack.LargestSentPacketNumber = detection->LargestSentPacketNumber;
    ack.NumTotalAckedRetransmittableBytes = detection->TotalBytesAcked;
    ack.AckedPackets = self->acked;
    ack.SmoothedRtt = connection->Paths[0].SmoothedRtt;
    ack.HasLoss = detection->LostPackets != NULL;
    self->ack = ack;
    self->before = *cc;
    cc->QuicCongestionControlOnDataAcknowledged(cc, &self->ack);
}

/* Report the losses, and after them the ACK that revealed them, from the state before both. */
static void report_losses(struct packets *self, QUIC_CONGESTION_CONTROL *cc)
{
    *cc = self->before;
    cc->QuicCongestionControlOnDataLost(cc, &self->loss);
    if (self->of_an_ack) {
        self->ack.HasLoss = TRUE;
        cc->QuicCongestionControlOnDataAcknowledged(cc, &self->ack);
    }
}

static void on_lost(struct packets *self, QUIC_CONNECTION *connection, const struct firstflight_event *event)
{
    QUIC_LOSS_DETECTION *detection = &connection->LossDetection;
    QUIC_CONGESTION_CONTROL *cc = &connection->CongestionControl;

    forget_lost(connection);
    self->loss = (QUIC_LOSS_EVENT){.LargestPacketNumberLost = event->packets[event->run_count - 1].last,
                                   .LargestSentPacketNumber = detection->LargestSentPacketNumber};
    for (uint64_t i = 0; i < event->run_count; i++) {
        self->loss.NumRetransmittableBytes +=
            move(&detection->SentPacketsTail, &detection->SentPackets, &detection->LostPacketsTail, &event->packets[i]);
    }
    self->of_an_ack = self->after_ack && self->event_us == now_us;
    if (!self->of_an_ack) {
        self->before = *cc;
    }
    report_losses(self, cc);
}

void packets_begin(QUIC_CONNECTION *connection)
{
    QUIC_LOSS_DETECTION *detection = &connection->LossDetection;

    detection->SentPacketsTail = &detection->SentPackets;
    detection->LostPacketsTail = &detection->LostPackets;
    connection->PeerTransportParams.MaxAckDelay = QUIC_TP_MAX_ACK_DELAY_DEFAULT;
}

int packets_event(struct packets *self, QUIC_CONNECTION *connection, const struct firstflight_event *event)
{
    QUIC_LOSS_DETECTION *detection = &connection->LossDetection;
    QUIC_CONGESTION_CONTROL *cc = &connection->CongestionControl;
    const BOOLEAN lost = event->kind == FIRSTFLIGHT_EVENT_LOST;
    int result = FIRSTFLIGHT_OBSERVED;

    if (!lost && event->kind != FIRSTFLIGHT_EVENT_PERSISTENT_CONGESTION && event->kind != FIRSTFLIGHT_EVENT_CE) {
        discard(&self->acked);
    }
    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        result = on_sent(connection, event);
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        on_ack(self, connection, event);
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        on_lost(self, connection, event);
        break;
    case FIRSTFLIGHT_EVENT_CE:
        break; /* the table of functions has none for marks */
    case FIRSTFLIGHT_EVENT_PERSISTENT_CONGESTION:
        if (!self->after_lost) {
            return FIRSTFLIGHT_UNSUPPORTED;
        }
        self->loss.PersistentCongestion = TRUE; /* a member of the loss itself */
        report_losses(self, cc);
        break;
    case FIRSTFLIGHT_EVENT_PTO:
        forget_lost(connection);
        cc->QuicCongestionControlSetExemption(cc, 2);
        break;
    case FIRSTFLIGHT_EVENT_SPURIOUS_LOSS:
        /* The stack calls it when no lost packet is left. */
        discard(&detection->LostPackets);
        detection->LostPacketsTail = &detection->LostPackets;
        cc->QuicCongestionControlOnSpuriousCongestionEvent(cc);
        break;
    default:
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    if (event->kind != FIRSTFLIGHT_EVENT_CE) {
        self->after_ack = event->kind == FIRSTFLIGHT_EVENT_ACK;
        self->after_lost = lost;
        self->event_us = now_us;
    }
    return result;
}

void packets_end(struct packets *self, QUIC_CONNECTION *connection)
{
    discard(&self->acked);
    discard(&connection->LossDetection.SentPackets);
    discard(&connection->LossDetection.LostPackets);
}
