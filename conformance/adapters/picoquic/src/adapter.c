/*
 * The NewReno of picoquic behind the adapter protocol.
 *
 * An event does what picoquic does for it, in its order: picoquic_queue_for_retransmit (sender.c) for a packet sent,
 * picoquic_decode_ack_frame and process_decoded_packet_data (frames.c) for an ACK frame, picoquic_process_lost_packet
 * (loss_recovery.c) for a loss and for an expired timer. RTT and bandwidth estimates are those of the stack (timing.c, frames.c).
 * Packets have no tag here: their size is both the size in flight and the acknowledged size.
 */
#include "newreno.c"

#include <stddef.h>

#include "firstflight_adapter.h"

/* 0 is no time to picoquic. */
#define BEGIN_US 1000000

/* In frames.c, without a header. */
void picoquic_record_ack_packet_data(picoquic_packet_data_t *packet_data, picoquic_packet_t *acked_packet);
void process_decoded_packet_data(picoquic_cnx_t *cnx, picoquic_path_t *path, int epoch, int pc, uint64_t current_time,
                                 picoquic_packet_data_t *packet_data);

struct adapter {
    picoquic_quic_t quic;
    picoquic_cnx_t cnx;
    picoquic_path_t path;
    picoquic_path_t *paths[1];
    picoquic_packet_t **packets; /* packet n at n, without its bytes; NULL once it is acknowledged */
    uint64_t capacity;
    uint64_t ce_count;
    int measured; /* whether the path has the RTT sample of the handshake */
};

const char *firstflight_adapter_hello(void)
{
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"picoquic\",\"version\":\"" PICOQUIC_VERSION "\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"],\"clock\":\"us\",\"avoidance\":\"datagram\"}";
}

static uint64_t time_of(uint64_t t_ns)
{
    return BEGIN_US + t_ns / 1000;
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    struct adapter *self = NULL;

    if (strcmp(start->algorithm, "slow-start") != 0 || strcmp(start->profile, "rfc-9002") != 0) {
        *unsupported_reason = "no such algorithm or profile";
        return NULL;
    }
    self = calloc(1, sizeof *self);
    if (self == NULL) {
        *unsupported_reason = "out of memory";
        return NULL;
    }
    picoquic_cnx_t *cnx = &self->cnx;
    picoquic_path_t *path = &self->path;
    picoquic_packet_context_t *context = &cnx->pkt_ctx[picoquic_packet_context_application];
    self->quic.cwin_max = UINT64_MAX;
    self->paths[0] = path;
    cnx->quic = &self->quic;
    cnx->path = self->paths;
    cnx->nb_paths = 1;
    cnx->cnx_state = picoquic_state_ready;
    cnx->congestion_alg = picoquic_newreno_algorithm;
    cnx->local_parameters.max_ack_delay = PICOQUIC_ACK_DELAY_MAX;
    cnx->remote_parameters.max_ack_delay = PICOQUIC_ACK_DELAY_MAX_DEFAULT;
    context->highest_acknowledged = UINT64_MAX;
    /* As picoquic_create_path. */
    path->cnx = cnx;
    path->smoothed_rtt = PICOQUIC_INITIAL_RTT;
    path->retransmit_timer = PICOQUIC_INITIAL_RETRANSMIT_TIMER;
    path->cwin = PICOQUIC_CWIN_INITIAL;
    path->send_mtu = start->max_datagram_size_bytes;
    picoquic_pacing_init(&path->pacing, BEGIN_US);
    cnx->congestion_alg->alg_init(path, NULL, BEGIN_US);
    if (start->initial_window_bytes != 0) { /* picoquic has no setting for it */
        path->cwin = start->initial_window_bytes;
        ((picoquic_newreno_state_t *)path->congestion_alg_state)->nrss.cwin = path->cwin;
    }
    return self;
}

/* picoquic_prepare_packet_ready and picoquic_queue_for_retransmit. */
static int on_packet_sent(struct adapter *self, uint64_t number, uint64_t size, uint64_t now)
{
    picoquic_path_t *path = &self->path;
    picoquic_packet_t *packet = calloc(1, offsetof(picoquic_packet_t, bytes));

    if (number >= self->capacity) {
        const uint64_t capacity = number + 1024 > 2 * self->capacity ? number + 1024 : 2 * self->capacity;
        picoquic_packet_t **packets = realloc(self->packets, capacity * sizeof *packets);
        if (packets != NULL) {
            memset(packets + self->capacity, 0, (capacity - self->capacity) * sizeof *packets);
            self->packets = packets;
            self->capacity = capacity;
        }
    }
    if (packet == NULL || number >= self->capacity) {
        free(packet);
        return FIRSTFLIGHT_FAULT;
    }
    self->packets[number] = packet;
    packet->send_path = path;
    packet->sequence_number = number;
    packet->send_time = now;
    packet->length = size;
    packet->delivered_prior = path->delivered_last;
    packet->delivered_time_prior = path->delivered_time_last;
    packet->delivered_sent_prior = path->delivered_sent_last;
    packet->delivered_app_limited = path->delivered_limited_index != 0;
    packet->is_queued_for_retransmit = 1;
    path->bytes_in_transit += size;
    self->cnx.pkt_ctx[picoquic_packet_context_application].send_sequence = number + 1;
    picoquic_update_pacing_after_send(path, size, now);
    return FIRSTFLIGHT_OBSERVED;
}

/* After its last packet the sender finds either nothing to send or no window left (picoquic_prepare_packet_ready). */
static int on_sent(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    picoquic_path_t *path = &self->path;

    for (uint64_t i = 0; i < event->run_count; i++) {
        const struct firstflight_run *run = &event->packets[i];
        for (uint64_t number = run->first; number <= run->last; number++) {
            if (on_packet_sent(self, number, run->size_bytes, now) != FIRSTFLIGHT_OBSERVED) {
                return FIRSTFLIGHT_FAULT;
            }
        }
    }
    if (event->app_limited) {
        path->delivered_limited_index = path->delivered + path->bytes_in_transit; /* picoquic_mark_path_app_limited */
        path->last_sender_limited_time = now;
    } else {
        path->last_cwin_blocked_time = now;
    }
    return FIRSTFLIGHT_OBSERVED;
}

static void notify(struct adapter *self, picoquic_congestion_notification_t notification, uint64_t packet, uint64_t now)
{
    picoquic_per_ack_state_t state = {.pc = picoquic_packet_context_application, .lost_packet_number = packet};

    self->cnx.congestion_alg->alg_notify(&self->cnx, &self->path, notification, &state, now);
}

/* picoquic_process_ack_range and picoquic_check_spurious_retransmission for one packet. */
static void on_packet_acked(struct adapter *self, uint64_t number, picoquic_packet_data_t *data, uint64_t now)
{
    picoquic_path_t *path = &self->path;
    picoquic_packet_t *packet = self->packets[number];

    if (packet->is_queued_for_retransmit) {
        path->delivered += packet->length;
        path->bytes_in_transit -= packet->length;
        picoquic_record_ack_packet_data(data, packet);
    } else { /* the timer had taken it for lost */
        picoquic_record_ack_packet_data(data, packet);
        notify(self, picoquic_congestion_notification_spurious_repeat, number, now);
    }
    if (packet->send_time > path->last_time_acked_data_frame_sent) {
        path->last_time_acked_data_frame_sent = packet->send_time;
    }
    free(packet);
    self->packets[number] = NULL;
}

/* A connection has the RTT sample of its handshake: the first sample of the case. */
static void on_ack(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    picoquic_packet_context_t *context = &self->cnx.pkt_ctx[picoquic_packet_context_application];
    const struct firstflight_run *newest = &event->packets[event->run_count - 1];
    picoquic_packet_data_t data = {0};

    if (!self->measured && event->latest_rtt_ns != FIRSTFLIGHT_NONE) {
        self->measured = 1;
        picoquic_update_path_rtt(&self->cnx, &self->path, picoquic_epoch_handshake, now - event->latest_rtt_ns / 1000, now, 0, 0);
    }
    if (newest->last > context->highest_acknowledged || context->highest_acknowledged == UINT64_MAX) {
        context->highest_acknowledged = newest->last;
        context->highest_acknowledged_time = now;
        context->latest_time_acknowledged = time_of(newest->sent_t_ns);
        data.last_ack_delay = event->ack_delay_ns / 1000;
    }
    for (uint64_t i = event->run_count; i-- > 0;) {
        for (uint64_t number = event->packets[i].last + 1; number-- > event->packets[i].first;) {
            on_packet_acked(self, number, &data, now);
        }
    }
    process_decoded_packet_data(&self->cnx, &self->path, picoquic_epoch_1rtt, picoquic_packet_context_application, now, &data);
}

/* picoquic_process_lost_packet: tell the controller, then take the packet from the flight. */
static void on_packet_lost(struct adapter *self, picoquic_packet_t *packet, picoquic_congestion_notification_t notification,
                           uint64_t now)
{
    notify(self, notification, packet->sequence_number, now);
    self->path.bytes_in_transit -= packet->length;
    packet->is_queued_for_retransmit = 0;
}

static void on_lost(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    for (uint64_t i = 0; i < event->run_count; i++) {
        for (uint64_t number = event->packets[i].first; number <= event->packets[i].last; number++) {
            if (self->packets[number]->is_queued_for_retransmit) { /* else the timer found it lost */
                on_packet_lost(self, self->packets[number], picoquic_congestion_notification_repeat, now);
            }
        }
    }
}

/* The oldest packet in flight is treated as lost by the timer. */
static void on_pto(struct adapter *self, uint64_t now)
{
    for (uint64_t number = 0; number < self->capacity; number++) {
        picoquic_packet_t *packet = self->packets[number];
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

    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        if (on_sent(self, event, now) != FIRSTFLIGHT_OBSERVED) {
            return FIRSTFLIGHT_FAULT;
        }
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        on_ack(self, event, now);
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        on_lost(self, event, now);
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
        return FIRSTFLIGHT_UNSUPPORTED; /* persistent congestion: picoquic has no such state */
    }
    observed->cwnd_bytes = self->path.cwin;
    observed->has_ssthresh = 1;
    observed->ssthresh_bytes = ((picoquic_newreno_state_t *)self->path.congestion_alg_state)->nrss.ssthresh;
    return FIRSTFLIGHT_OBSERVED;
}

void firstflight_adapter_end(void *adapter)
{
    struct adapter *self = adapter;

    for (uint64_t number = 0; number < self->capacity; number++) {
        free(self->packets[number]);
    }
    free(self->packets);
    self->cnx.congestion_alg->alg_delete(&self->path);
    free(self);
}
