/*
 * The NewReno and CUBIC of picoquic behind the adapter protocol, or with the argument `bbr` its BBR.
 *
 * The adapter takes the steps of picoquic for an event, in the same order. For a packet sent it is
 * picoquic_queue_for_retransmit (sender.c), for an ACK frame picoquic_decode_ack_frame and process_decoded_packet_data
 * (frames.c). For a loss and for an expired timer it is picoquic_process_lost_packet (loss_recovery.c). The stack
 * estimates RTT and bandwidth (timing.c, frames.c). Packets are without a tag here: their size is both the size in
 * flight and the acknowledged size.
 */
#include "connection.h"
#include "controllers.h"

const char *firstflight_adapter_hello(void)
{
    if (bbr) {
        return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"picoquic bbr\",\"version\":\"" PICOQUIC_VERSION "\","
               "\"algorithms\":{\"bbr\":[\"draft-06\"]},\"observables\":[\"cwnd_bytes\"],\"clock\":\"us\"}";
    }
    return "{\"op\":\"hello\",\"protocol\":1,\"name\":\"picoquic\",\"version\":\"" PICOQUIC_VERSION "\","
           "\"algorithms\":{\"slow-start\":[\"rfc-9002\"],\"cubic\":[\"rfc-9438\"]},"
           "\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\"],\"clock\":\"us\",\"avoidance\":\"datagram\","
           "\"works_out\":[\"app_limited\"]}";
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    picoquic_congestion_algorithm_t *controller = controller_of(start);
    struct adapter *self = NULL;

    if (controller == NULL) {
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
    cnx->quic = &predictable;
    cnx->path = self->paths;
    cnx->nb_paths = 1;
    cnx->cnx_state = picoquic_state_ready;
    cnx->congestion_alg = controller;
    cnx->local_parameters.max_ack_delay = PICOQUIC_ACK_DELAY_MAX;
    cnx->remote_parameters.max_ack_delay = PICOQUIC_ACK_DELAY_MAX_DEFAULT;
    self->context->highest_acknowledged = UINT64_MAX;
    /* As picoquic_create_path. */
    path->cnx = cnx;
    path->smoothed_rtt = PICOQUIC_INITIAL_RTT;
    path->retransmit_timer = PICOQUIC_INITIAL_RETRANSMIT_TIMER;
    path->cwin = PICOQUIC_CWIN_INITIAL;
    path->send_mtu = start->max_datagram_size_bytes;
    picoquic_pacing_init(&path->pacing, BEGIN_US);
    controller->alg_init(path, NULL, BEGIN_US);
    if (start->initial_window_bytes != 0) {
        set_initial_window(path, controller, start->initial_window_bytes);
    }
    return self;
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
        on_lost(self, event, now);
        break;
    case FIRSTFLIGHT_EVENT_CE:
        on_ce(self, event, now);
        break;
    case FIRSTFLIGHT_EVENT_SPURIOUS_LOSS:
        notify(self, picoquic_congestion_notification_spurious_repeat, self->losses.last_packet, now);
        break;
    case FIRSTFLIGHT_EVENT_PTO:
        on_pto(self, now);
        break;
    default:
        return FIRSTFLIGHT_UNSUPPORTED; /* persistent congestion: picoquic does not detect it */
    }
    observed->cwnd_bytes = self->path.cwin;
    observed->has_ssthresh = !bbr;
    observed->ssthresh_bytes = bbr ? 0 : ssthresh_of(&self->path, self->cnx.congestion_alg);
    return result;
}

void firstflight_adapter_end(void *adapter)
{
    struct adapter *self = adapter;

    packets_end(self);
    self->cnx.congestion_alg->alg_delete(&self->path);
    free(self);
}
