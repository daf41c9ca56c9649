/* HyStart++ (RFC 9406): the first slow start is its own, as long as the threshold is infinite. */
#include "start.h"

static void begin(struct start *s, uint32_t datagram_bytes)
{
    (void)datagram_bytes;
    hystartpp_rfc_9406_begin(&s->is.hystartpp);
}

static void on_ack(struct start *s, const struct ack *ack)
{
    struct hystartpp_rfc_9406_ack arrived;

    if (s->base.ssthresh != NEWRENO_RFC_9002_INFINITE) {
        base_on_ack(s, ack);
        return;
    }
    arrived.largest_packet = ack->runs[ack->run_count - 1].last;
    arrived.snd_nxt = ack->next_packet;
    arrived.bytes = ack->bytes;
    arrived.rtt_ns = ack->rtt_ns;
    arrived.app_limited = ack->app_limited;
    hystartpp_rfc_9406_on_ack(&s->is.hystartpp, &arrived, &s->base.congestion_window, &s->base.ssthresh);
}

static void on_lost(struct start *s, const struct lost *lost)
{
    base_on_lost(s, lost);
    hystartpp_rfc_9406_on_congestion(&s->is.hystartpp);
}

const struct algorithm start_hystartpp = {begin, 0, on_ack, on_lost, 0};
