/* The steps of a picoquic connection for packets that are sent, acknowledged and lost. */
#include "connection.h"

/* In frames.c, without a header. */
void picoquic_record_ack_packet_data(picoquic_packet_data_t *packet_data, picoquic_packet_t *acked_packet);
void process_decoded_packet_data(picoquic_cnx_t *cnx, picoquic_path_t *path, int epoch, int pc, uint64_t current_time,
                                 picoquic_packet_data_t *packet_data);

static picoquic_packet_t **packet_of(const struct adapter *self, uint64_t number)
{
    return (picoquic_packet_t **)self->packets.first + number;
}

void notify(struct adapter *self, picoquic_congestion_notification_t notification, uint64_t packet, uint64_t now)
{
    picoquic_per_ack_state_t state = {.pc = APPLICATION, .lost_packet_number = packet};

    self->cnx.congestion_alg->alg_notify(&self->cnx, &self->path, notification, &state, now);
}

/* picoquic_finalize_and_protect_packet: after a second or a probe timeout, the path begins again from idle. */
static void notify_idle(struct adapter *self, const picoquic_packet_t *packet, uint64_t now)
{
    const uint64_t second = PICOQUIC_INITIAL_MAX_RETRANSMIT_TIMER, timer = self->path.retransmit_timer;
    const uint64_t last = self->path.last_sent_time;

    if (packet->inflight_prior == 0 && packet->delivered_app_limited && last != 0 &&
        now > last + (timer < second ? second : timer)) {
        picoquic_per_ack_state_t state = {.pc = APPLICATION, .is_app_limited = 1};
        self->cnx.congestion_alg->alg_notify(&self->cnx, &self->path, picoquic_congestion_notification_restart_from_idle,
                                             &state, now);
    }
    self->path.last_sent_time = now;
}

/* picoquic_finalize_and_protect_packet, picoquic_queue_for_retransmit. At the end either data or window is used up. */
int on_sent(struct adapter *self, const struct firstflight_event *event, uint64_t now)
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
        packet->lost_prior = path->total_bytes_lost;
        packet->inflight_prior = path->bytes_in_transit;
        packet->delivered_app_limited = path->delivered_limited_index != 0;
        packet->sent_cwin_limited = path->bytes_in_transit >= path->cwin;
        packet->is_queued_for_retransmit = 1;
        self->context->send_sequence = number + 1;
        notify_idle(self, packet, now);
        path->bytes_in_transit += packet->length;
    }
    if (self->first_sent == 0) {
        self->first_sent = now;
    }
    if (event->app_limited) {
        path->last_sender_limited_time = now;
        path->delivered_limited_index = path->delivered + path->bytes_in_transit;
    } else {
        path->last_cwin_blocked_time = now;
    }
    return FIRSTFLIGHT_OBSERVED;
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
    if (self->ce_packets != 0) {
        self->ce_packets--;
    } else {
        path->ecn_ect0_total_remote++;
    }
    picoquic_record_ack_packet_data(data, packet);
    if (packet->send_time > path->last_time_acked_data_frame_sent) {
        path->last_time_acked_data_frame_sent = packet->send_time;
    }
    free(packet);
    *packet_of(self, number) = NULL;
}

/* A connection has the RTT sample of its handshake: the first sample of the case. */
void on_ack(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    const struct firstflight_run *newest = &event->packets[event->run_count - 1];
    picoquic_path_t *path = &self->path;
    picoquic_packet_data_t data = {0};

    if (!path->rtt_is_initialized && event->latest_rtt_ns != FIRSTFLIGHT_NONE) {
        const uint64_t end = self->first_sent, rtt = event->latest_rtt_ns / 1000;
        picoquic_update_path_rtt(&self->cnx, path, picoquic_epoch_handshake, end > rtt ? end - rtt : 0, end, 0, 0);
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
    if (self->losses.now != now) {
        self->losses = (struct losses){.last_packet = self->losses.last_packet};
    }
    path->total_bytes_lost -= self->losses.bytes;
    path->nb_loss_ranges_found -= self->losses.ranges;
    process_decoded_packet_data(&self->cnx, path, picoquic_epoch_1rtt, APPLICATION, now, &data);
}

/* The losses that this ACK reveals were events before it. */
void picoquic_queue_retransmit_on_ack(picoquic_cnx_t *cnx, picoquic_path_t *path, uint64_t now)
{
    struct losses *losses = &((struct adapter *)cnx)->losses;

    path->total_bytes_lost += losses->bytes;
    path->nb_loss_ranges_found += losses->ranges;
    losses->bytes = losses->ranges = 0;
}

/* picoquic_count_and_notify_loss, and after it the packet leaves the flight. */
static void on_packet_lost(struct adapter *self, picoquic_packet_t *packet,
                           picoquic_congestion_notification_t notification, uint64_t now)
{
    picoquic_path_t *path = &self->path;
    struct losses *losses = &self->losses;

    if (!packet->is_queued_for_retransmit) {
        return; /* the timer has taken it for lost */
    }
    if (losses->now != now) {
        *losses = (struct losses){.now = now};
    }
    if (notification == picoquic_congestion_notification_repeat) {
        const int new_range = path->nb_loss_ranges_found == 0 ||
                              packet->sequence_number != path->latest_repeat_loss_packet_number + 1;
        path->nb_loss_ranges_found += new_range;
        losses->ranges += new_range;
        losses->bytes += packet->length;
        path->latest_repeat_loss_packet_number = packet->sequence_number;
    }
    losses->last_packet = packet->sequence_number;
    path->total_bytes_lost += packet->length;
    picoquic_per_ack_state_t state = {
        .pc = APPLICATION,
        .rtt_measurement = path->rtt_sample,
        .lost_packet_number = packet->sequence_number,
        .lost_packet_sent_time = packet->send_time,
        .nb_bytes_newly_lost = packet->length,
        .nb_bytes_lost_since_packet_sent = path->total_bytes_lost - packet->lost_prior,
        .nb_bytes_delivered_since_packet_sent = path->delivered - packet->delivered_prior,
        .inflight_prior = packet->inflight_prior,
        .is_app_limited = packet->delivered_app_limited,
        .is_cwnd_limited = packet->sent_cwin_limited,
    };
    self->cnx.congestion_alg->alg_notify(&self->cnx, path, notification, &state, now);
    path->bytes_in_transit -= packet->length;
    packet->is_queued_for_retransmit = 0;
}

void on_lost(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    FOR_EACH_PACKET(event, run, number) {
        on_packet_lost(self, *packet_of(self, number), picoquic_congestion_notification_repeat, now);
    }
}

void on_ce(struct adapter *self, const struct firstflight_event *event, uint64_t now)
{
    if (event->ce_count > self->path.ecn_ce_total_remote) {
        self->ce_packets += event->ce_count - self->path.ecn_ce_total_remote;
        self->path.ecn_ce_total_remote = event->ce_count;
        notify(self, picoquic_congestion_notification_ecn_ec, event->packet, now);
    }
}

/* The oldest packet in flight is treated as lost by the timer. */
void on_pto(struct adapter *self, uint64_t now)
{
    for (uint64_t number = 0; number < self->packets.count; number++) {
        picoquic_packet_t *packet = *packet_of(self, number);
        if (packet != NULL && packet->is_queued_for_retransmit) {
            on_packet_lost(self, packet, picoquic_congestion_notification_timeout, now);
            return;
        }
    }
}

void packets_end(struct adapter *self)
{
    for (uint64_t number = 0; number < self->packets.count; number++) {
        free(*packet_of(self, number));
    }
    free(self->packets.first);
}
