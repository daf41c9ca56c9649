/*
 * The CUBIC of msquic behind the adapter protocol, or with the argument `bbr` its BBR (packets.c).
 *
 * For CUBIC the adapter takes the steps of loss_detection.c for an event: QuicLossDetectionOnPacketSent,
 * QuicLossDetectionProcessAckBlocks, QuicLossDetectionDetectAndHandleLostPackets. Times are microseconds. The stack's
 * RTT estimator is updated as well, because its CUBIC reads the smoothed RTT.
 */
#include "precomp.h"

#include "adapter.h"

struct adapter {
    QUIC_CONNECTION *connection;
    struct packets packets; /* only for BBR */
    uint64_t ce_count;
    uint64_t largest_acked;
    uint64_t largest_sent;
    /* The loss of the previous event, with the state before it. */
    BOOLEAN lost_before;
    QUIC_CONGESTION_CONTROL before_loss;
    QUIC_LOSS_EVENT loss;
};

const char *firstflight_adapter_hello(void)
{
    if (bbr) {
        return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"msquic bbr\",\"version\":\"" MSQUIC_VERSION "\","
               "\"algorithms\":{\"bbr\":[\"draft-06\"]},\"observables\":[\"cwnd_bytes\"],"
               "\"clock\":\"us\",\"avoidance\":\"datagram\",\"controller\":\"newreno\"}";
    }
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"msquic cubic\",\"version\":\"" MSQUIC_VERSION "\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"],\"cubic\":[\"rfc-9438\"],"
           "\"hystartpp\":[\"rfc-9406+cubic\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"],\"clock\":\"us\",\"avoidance\":\"datagram\",\"controller\":\"cubic\"}";
}

/* HyStart++ is a setting, off by default. Return whether a profile is judged, and whether with HyStart++. */
static BOOLEAN is_judged(const struct firstflight_case *start, BOOLEAN *hystart)
{
    static const struct {
        const char *algorithm, *profile;
        BOOLEAN hystart, bbr;
    } judged[] = {
        {"slow-start", "rfc-9002", FALSE, FALSE},
        {"cubic", "rfc-9438", FALSE, FALSE},
        {"hystartpp", "rfc-9406+cubic", TRUE, FALSE},
        {"bbr", "draft-06", FALSE, TRUE},
    };

    for (size_t i = 0; i < ARRAYSIZE(judged); i++) {
        if (judged[i].bbr == bbr && strcmp(start->algorithm, judged[i].algorithm) == 0 &&
            strcmp(start->profile, judged[i].profile) == 0) {
            *hystart = judged[i].hystart;
            return TRUE;
        }
    }
    return FALSE;
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    const uint64_t size = start->max_datagram_size_bytes;
    const uint64_t window = start->initial_window_bytes != 0 ? start->initial_window_bytes : QUIC_INITIAL_WINDOW_PACKETS * size;
    QUIC_SETTINGS_INTERNAL settings = {.SendIdleTimeoutMs = QUIC_DEFAULT_SEND_IDLE_TIMEOUT_MS};
    BOOLEAN hystart;

    *unsupported_reason = NULL;
    if (!is_judged(start, &hystart)) {
        *unsupported_reason = "no such algorithm or profile";
    } else if (window % size != 0) {
        *unsupported_reason = "the stack takes an initial window in whole datagrams";
    } else if (window > UINT32_MAX) {
        *unsupported_reason = "windows of the stack have 32 bits";
    }
    struct adapter *self = *unsupported_reason == NULL ? calloc(1, sizeof *self) : NULL;
    if (self == NULL) {
        return NULL;
    }
    self->connection = calloc(1, sizeof *self->connection);
    if (self->connection == NULL) {
        free(self);
        *unsupported_reason = "out of memory";
        return NULL;
    }
    settings.InitialWindowPackets = (uint32_t)(window / size);
    settings.HyStartEnabled = hystart;
    self->connection->Settings = settings;
    QUIC_PATH *path = &self->connection->Paths[0];
    QuicAddrSetFamily(&path->Route.RemoteAddress, QUIC_ADDRESS_FAMILY_INET);
    path->Mtu = (uint16_t)(size + CXPLAT_MIN_IPV4_HEADER_SIZE + CXPLAT_UDP_HEADER_SIZE);
    path->SmoothedRtt = MS_TO_US(QUIC_INITIAL_RTT);
    path->RttVariance = path->SmoothedRtt / 2;
    if (bbr) {
        BbrCongestionControlInitialize(&self->connection->CongestionControl, &settings);
        packets_begin(self->connection);
    } else {
        CubicCongestionControlInitialize(&self->connection->CongestionControl, &settings);
    }
    return self;
}

static void on_sent(struct adapter *self, const struct firstflight_event *event)
{
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;

    for (uint64_t i = 0; i < event->run_count; i++) {
        const struct firstflight_run *run = &event->packets[i];
        for (uint64_t packet = run->first; packet <= run->last; packet++) {
            self->connection->Send.NextPacketNumber = packet + 1;
            self->largest_sent = packet;
            cc->QuicCongestionControlOnDataSent(cc, (uint32_t)run->size_bytes);
        }
    }
}

/* QuicLossDetectionProcessAckBlocks without its search for losses, which the vector reports. */
static void on_ack(struct adapter *self, const struct firstflight_event *event)
{
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;
    QUIC_PATH *path = &self->connection->Paths[0];
    const uint64_t largest = event->packets[event->run_count - 1].last;
    const uint64_t ack_delay_us = event->ack_delay_ns / 1000;
    uint64_t min_rtt_us = UINT64_MAX;

    for (uint64_t i = 0; i < event->run_count; i++) {
        min_rtt_us = CXPLAT_MIN(min_rtt_us, now_us - event->packets[i].sent_t_ns / 1000);
    }
    self->largest_acked = CXPLAT_MAX(self->largest_acked, largest);
    if (event->latest_rtt_ns != FIRSTFLIGHT_NONE) { /* the largest packet of the frame is newly acknowledged */
        if (min_rtt_us >= ack_delay_us) {
            min_rtt_us -= ack_delay_us;
        }
        update_rtt(path, min_rtt_us);
    }
    const QUIC_ACK_EVENT ack = {.TimeNow = now_us,
                                .LargestAck = self->largest_acked,
                                .LargestSentPacketNumber = self->largest_sent,
                                .NumRetransmittableBytes = (uint32_t)event->bytes,
                                .SmoothedRtt = path->SmoothedRtt,
                                .MinRtt = min_rtt_us,
                                .AdjustedAckTime = now_us - ack_delay_us,
                                .MinRttValid = TRUE};
    cc->QuicCongestionControlOnDataAcknowledged(cc, &ack);
}

static void on_lost(struct adapter *self, const struct firstflight_event *event)
{
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;

    self->loss = (QUIC_LOSS_EVENT){.LargestPacketNumberLost = event->packets[event->run_count - 1].last,
                                   .LargestSentPacketNumber = self->largest_sent,
                                   .NumRetransmittableBytes = (uint32_t)event->bytes};
    self->before_loss = *cc;
    cc->QuicCongestionControlOnDataLost(cc, &self->loss);
}

/*
 * The stack learns of persistent congestion by a member of the loss itself, the protocol by an event after the loss. So the
 * loss is taken back and reported again with that member.
 */
static void on_persistent_congestion(struct adapter *self)
{
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;

    *cc = self->before_loss;
    self->loss.PersistentCongestion = TRUE;
    cc->QuicCongestionControlOnDataLost(cc, &self->loss);
}

static void on_ce(struct adapter *self, const struct firstflight_event *event)
{
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;
    const QUIC_ECN_EVENT ecn = {.LargestPacketNumberAcked = event->packet, .LargestSentPacketNumber = self->largest_sent};

    if (event->ce_count > self->ce_count) {
        self->ce_count = event->ce_count;
        cc->QuicCongestionControlOnEcn(cc, &ecn);
    }
}

static int on_event(struct adapter *self, const struct firstflight_event *event)
{
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;
    const BOOLEAN lost_before = self->lost_before;

    self->lost_before = event->kind == FIRSTFLIGHT_EVENT_LOST;
    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        on_sent(self, event);
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        on_ack(self, event);
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        on_lost(self, event);
        break;
    case FIRSTFLIGHT_EVENT_CE:
        on_ce(self, event);
        break;
    case FIRSTFLIGHT_EVENT_PERSISTENT_CONGESTION:
        if (!lost_before) {
            return FIRSTFLIGHT_UNSUPPORTED;
        }
        on_persistent_congestion(self);
        break;
    case FIRSTFLIGHT_EVENT_PTO:
        break; /* QuicLossDetectionScheduleProbe lets probes leave beyond the window, which stays as it is */
    case FIRSTFLIGHT_EVENT_SPURIOUS_LOSS:
        cc->QuicCongestionControlOnSpuriousCongestionEvent(cc);
        break;
    default:
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    return FIRSTFLIGHT_OBSERVED;
}

int firstflight_adapter_event(void *adapter, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    struct adapter *self = adapter;
    QUIC_CONGESTION_CONTROL *cc = &self->connection->CongestionControl;

    now_us = event->t_ns / 1000;
    if (event->kind == FIRSTFLIGHT_EVENT_SENT && event->bytes_in_flight > UINT32_MAX) {
        return FIRSTFLIGHT_UNSUPPORTED; /* bytes in flight have 32 bits */
    }
    const int result = bbr ? packets_event(&self->packets, self->connection, event) : on_event(self, event);
    if (result != FIRSTFLIGHT_OBSERVED) {
        return result;
    }
    observed->cwnd_bytes = cc->QuicCongestionControlGetCongestionWindow(cc);
    if (!bbr) {
        observed->has_ssthresh = 1;
        observed->ssthresh_bytes = cc->Cubic.SlowStartThreshold == UINT32_MAX ? FIRSTFLIGHT_NONE : cc->Cubic.SlowStartThreshold;
    }
    return FIRSTFLIGHT_OBSERVED;
}

void firstflight_adapter_end(void *adapter)
{
    struct adapter *self = adapter;

    packets_end(&self->packets, self->connection);
    free(self->connection);
    free(self);
}
