/*
 * The NewReno of picoquic behind the adapter protocol.
 *
 * An event takes the steps of picoquic for it, in its order: picoquic_queue_for_retransmit (sender.c) for a packet sent,
 * picoquic_decode_ack_frame and process_decoded_packet_data (frames.c) for an ACK frame, picoquic_process_lost_packet
 * (loss_recovery.c) for a loss and for an expired timer. The stack estimates RTT and bandwidth (timing.c, frames.c).
 * Packets are without a tag here: their size is both the size in flight and the acknowledged size.
 */
#include "newreno.c"

#include "firstflight_adapter.h"
#include "packets.h"

#define APPLICATION picoquic_packet_context_application
#define BEGIN_US 1000000 /* picoquic treats 0 as an unset time */

/* In frames.c, without a header. */
void picoquic_record_ack_packet_data(picoquic_packet_data_t *packet_data, picoquic_packet_t *acked_packet);
void process_decoded_packet_data(picoquic_cnx_t *cnx, picoquic_path_t *path, int epoch, int pc, uint64_t current_time,
                                 picoquic_packet_data_t *packet_data);

struct adapter {
    picoquic_cnx_t cnx;
    picoquic_path_t path;
    picoquic_path_t *paths[1];
    picoquic_packet_context_t *context;
    struct slots packets; /* pointers; NULL once a packet is acknowledged */
    uint64_t ce_count;
};

const char *firstflight_adapter_hello(void)
{
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"picoquic\",\"version\":\"" PICOQUIC_VERSION "\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"],\"clock\":\"us\",\"avoidance\":\"datagram\","
           "\"works_out\":[\"app_limited\"]}";
}

static uint64_t time_of(uint64_t t_ns)
{
    return BEGIN_US + t_ns / 1000;
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    const int judged = strcmp(start->algorithm, "slow-start") == 0 && strcmp(start->profile, "rfc-9002") == 0;
    struct adapter *self = NULL;

    if (!judged) {
        *unsupported_reason = "no such algorithm or profile";
    } else if (start->max_datagram_size_bytes > PICOQUIC_MAX_PACKET_SIZE) {
        *unsupported_reason = "the stack has no datagrams above 1536 bytes";
    } else {
        self = calloc(1, sizeof *self);
        *unsupported_reason = "out of memory";
    }
    if (self == NULL) {
        return NULL;
    }
    picoquic_cnx_t *cnx = &self->cnx;
    picoquic_path_t *path = &self->path;
    self->context = &cnx->pkt_ctx[APPLICATION];
    self->paths[0] = path;
    cnx->path = self->paths;
    cnx->nb_paths = 1;
    cnx->cnx_state = picoquic_state_ready;
    cnx->congestion_alg = picoquic_newreno_algorithm;
    cnx->local_parameters.max_ack_delay = PICOQUIC_ACK_DELAY_MAX;
    cnx->remote_parameters.max_ack_delay = PICOQUIC_ACK_DELAY_MAX_DEFAULT;
    self->context->highest_acknowledged = UINT64_MAX;
    /* As picoquic_create_path. */
    path->cnx = cnx;
    path->smoothed_rtt = PICOQUIC_INITIAL_RTT;
    path->retransmit_timer = PICOQUIC_INITIAL_RETRANSMIT_TIMER;
    path->send_mtu = start->max_datagram_size_bytes;
    picoquic_pacing_init(&path->pacing, BEGIN_US);
    cnx->congestion_alg->alg_init(path, NULL, BEGIN_US);
    if (start->initial_window_bytes != 0) { /* not a setting of picoquic */
        path->cwin = start->initial_window_bytes;
        ((picoquic_newreno_state_t *)path->congestion_alg_state)->nrss.cwin = path->cwin;
    }
    return self;
}

static picoquic_packet_t **packet_of(const struct adapter *self, uint64_t number)
{
    return (picoquic_packet_t **)self->packets.first + number;
}

/* picoquic_prepare_packet_ready, picoquic_queue_for_retransmit. At the end either data or window is used up. */
static int on_sent(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    picoquic_path_t *path = &self->path;

    FOR_EACH_PACKET(event, run, number) {
        picoquic_packet_t *packet = calloc(1, sizeof *packet);
        if (packet == NULL || !slots_reserve(&self->packets, number, sizeof packet)) {
            free(packet);
            return FIRSTFLIGHT_FAULT;
        }
        *packet_of(self, number) = packet;
        packet->send_path = path;
        packet->sequence_number = number;
        packet->send_time = now;
        packet->length = run->size_bytes;
        packet->delivered_prior = path->delivered_last;
        packet->delivered_time_prior = path->delivered_time_last;
        packet->delivered_sent_prior = path->delivered_sent_last;
        packet->is_queued_for_retransmit = 1;
        path->bytes_in_transit += packet->length;
        self->context->send_sequence = number + 1;
    }
    if (event->app_limited) {
        path->last_sender_limited_time = now;
    } else {
        path->last_cwin_blocked_time = now;
    }
    return FIRSTFLIGHT_OBSERVED;
}

static void notify(struct adapter *self, picoquic_congestion_notification_t notification, uint64_t packet, uint64_t now)
{
    picoquic_per_ack_state_t state = {.pc = APPLICATION, .lost_packet_number = packet};

    self->cnx.congestion_alg->alg_notify(&self->cnx, &self->path, notification, &state, now);
}

/* picoquic_process_ack_range and picoquic_check_spurious_retransmission for one packet. */
static void on_packet_acked(struct adapter *self, uint64_t number, picoquic_packet_data_t *data, uint64_t now)
{
    picoquic_path_t *path = &self->path;
    picoquic_packet_t *packet = *packet_of(self, number);

    if (packet->is_queued_for_retransmit) {
        path->delivered += packet->length;
        path->bytes_in_transit -= packet->length;
    } else { /* the timer had taken it for lost */
        notify(self, picoquic_congestion_notification_spurious_repeat, number, now);
    }
    picoquic_record_ack_packet_data(data, packet);
    if (packet->send_time > path->last_time_acked_data_frame_sent) {
        path->last_time_acked_data_frame_sent = packet->send_time;
    }
    free(packet);
    *packet_of(self, number) = NULL;
}

/* A connection has the RTT sample of its handshake: the first sample of the case. */
static void on_ack(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    const struct firstflight_run *newest = &event->packets[event->run_count - 1];
    picoquic_packet_data_t data = {0};

    if (!self->path.rtt_is_initialized && event->latest_rtt_ns != FIRSTFLIGHT_NONE) {
        const uint64_t sent = now - event->latest_rtt_ns / 1000;
        picoquic_update_path_rtt(&self->cnx, &self->path, picoquic_epoch_handshake, sent, now, 0, 0);
    }
    if (newest->last + 1 > self->context->highest_acknowledged + 1) { /* begins as UINT64_MAX */
        self->context->highest_acknowledged = newest->last;
        self->context->highest_acknowledged_time = now;
        self->context->latest_time_acknowledged = time_of(newest->sent_t_ns);
        data.last_ack_delay = event->ack_delay_ns / 1000;
    }
    for (uint64_t i = event->run_count; i-- > 0;) {
        for (uint64_t number = event->packets[i].last + 1; number-- > event->packets[i].first;) {
            on_packet_acked(self, number, &data, now);
        }
    }
    process_decoded_packet_data(&self->cnx, &self->path, picoquic_epoch_1rtt, APPLICATION, now, &data);
}

/* picoquic_process_lost_packet: tell the controller, then take the packet from the flight. */
static void on_packet_lost(struct adapter *self, picoquic_packet_t *packet,
                           picoquic_congestion_notification_t notification, uint64_t now)
{
    if (!packet->is_queued_for_retransmit) {
        return; /* the timer has taken it for lost */
    }
    notify(self, notification, packet->sequence_number, now);
    self->path.bytes_in_transit -= packet->length;
    packet->is_queued_for_retransmit = 0;
}

/* The oldest packet in flight is treated as lost by the timer. */
static void on_pto(struct adapter *self, uint64_t now)
{
    for (uint64_t number = 0; number < self->packets.count; number++) {
        picoquic_packet_t *packet = *packet_of(self, number);
        if (packet != NULL && packet->is_queued_for_retransmit) {
            on_packet_lost(self, packet, picoquic_congestion_notification_timeout, now);
            return;
        }
    }
}

int firstflight_adapter_event(void *adapter, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    struct adapter *self = adapter;
    const uint64_t now = time_of(event->t_ns);
    int result = FIRSTFLIGHT_OBSERVED;

    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        result = on_sent(self, event, now);
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        on_ack(self, event, now);
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        FOR_EACH_PACKET(event, run, number) {
            on_packet_lost(self, *packet_of(self, number), picoquic_congestion_notification_repeat, now);
        }
        break;
    case FIRSTFLIGHT_EVENT_CE:
        if (event->ce_count > self->ce_count) {
            self->ce_count = event->ce_count;
            notify(self, picoquic_congestion_notification_ecn_ec, event->packet, now);
        }
        break;
    case FIRSTFLIGHT_EVENT_PTO:
        on_pto(self, now);
        break;
    default:
        return FIRSTFLIGHT_UNSUPPORTED; /* persistent congestion: picoquic does not detect it */
    }
    observed->cwnd_bytes = self->path.cwin;
    observed->has_ssthresh = 1;
    observed->ssthresh_bytes = ((picoquic_newreno_state_t *)self->path.congestion_alg_state)->nrss.ssthresh;
    return result;
}

void firstflight_adapter_end(void *adapter)
{
    struct adapter *self = adapter;

    for (uint64_t number = 0; number < self->packets.count; number++) {
        free(*packet_of(self, number));
    }
    free(self->packets.first);
    self->cnx.congestion_alg->alg_delete(&self->path);
    free(self);
}
