/* What the files of the adapter share. precomp.h of msquic comes first. */
#ifndef FIRSTFLIGHT_MSQUIC_ADAPTER_H
#define FIRSTFLIGHT_MSQUIC_ADAPTER_H

#include "firstflight_adapter.h"

/* Whether BBR is judged, not CUBIC. */
extern BOOLEAN bbr;

/* Of the event. */
extern uint64_t now_us;

/* QuicConnUpdateRtt. */
void update_rtt(QUIC_PATH *path, uint64_t latest_us);

/*
 * The packets of a connection, as loss_detection.c keeps them in its QUIC_LOSS_DETECTION: its BBR reads what each packet noted when
 * it was sent. An ACK that reveals losses reports them to the controller before itself; where the vector lists it first, it is
 * taken back and reported again after them.
 */
struct packets {
    QUIC_SENT_PACKET_METADATA *acked; /* of the last ACK */
    QUIC_CONGESTION_CONTROL before;   /* that ACK, or the losses */
    QUIC_ACK_EVENT ack;
    QUIC_LOSS_EVENT loss;
    uint64_t event_us;
    /* Whether the last event was an ACK, or losses, and whether those are of the ACK before them. */
    BOOLEAN after_ack;
    BOOLEAN after_lost;
    BOOLEAN of_an_ack;
};

void packets_begin(QUIC_CONNECTION *connection);
/* One event. Return FIRSTFLIGHT_OBSERVED, FIRSTFLIGHT_UNSUPPORTED or FIRSTFLIGHT_FAULT. */
int packets_event(struct packets *self, QUIC_CONNECTION *connection, const struct firstflight_event *event);
void packets_end(struct packets *self, QUIC_CONNECTION *connection);

#endif
