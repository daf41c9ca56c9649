/* Shared declarations of the adapter. Include precomp.h of msquic first. */
#ifndef FIRSTFLIGHT_MSQUIC_ADAPTER_H
#define FIRSTFLIGHT_MSQUIC_ADAPTER_H

#include "firstflight_adapter.h"

/* Whether BBR is judged instead of CUBIC. */
extern BOOLEAN bbr;

/* Time of the event. */
extern uint64_t now_us;

/* QuicConnUpdateRtt. */
void update_rtt(QUIC_PATH *path, uint64_t latest_us);

/*
 * The packets of a connection, stored in QUIC_LOSS_DETECTION as in loss_detection.c: BBR reads the state that each
 * packet recorded when it was sent. The stack reports losses to the controller before the ACK that reveals them. If the
 * vector lists the ACK first, the adapter undoes it and reports it again after the losses.
 */
struct packets {
    QUIC_SENT_PACKET_METADATA *acked; /* packets of the last ACK */
    QUIC_CONGESTION_CONTROL before;   /* state before that ACK, or before the losses */
    QUIC_ACK_EVENT ack;
    QUIC_LOSS_EVENT loss;
    uint64_t event_us;
    /* Whether the last event was an ACK, or losses, and whether the preceding ACK revealed these losses. */
    BOOLEAN after_ack;
    BOOLEAN after_lost;
    BOOLEAN of_an_ack;
};

void packets_begin(QUIC_CONNECTION *connection);
/* Process one event. Return FIRSTFLIGHT_OBSERVED, FIRSTFLIGHT_UNSUPPORTED or FIRSTFLIGHT_FAULT. */
int packets_event(struct packets *self, QUIC_CONNECTION *connection, const struct firstflight_event *event);
void packets_end(struct packets *self, QUIC_CONNECTION *connection);

#endif
