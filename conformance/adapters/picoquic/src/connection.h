/* A connection of picoquic with one path, and its packets. */
#ifndef FIRSTFLIGHT_PICOQUIC_CONNECTION_H
#define FIRSTFLIGHT_PICOQUIC_CONNECTION_H

#include "picoquic_internal.h"

#include "firstflight_adapter.h"
#include "packets.h"

#define APPLICATION picoquic_packet_context_application
#define BEGIN_US 1000000 /* picoquic treats 0 as an unset time */

/* Losses of one time. An ACK of the same time reveals them. */
struct losses {
    uint64_t now, bytes, ranges, last_packet;
};

struct adapter {
    picoquic_cnx_t cnx; /* first: picoquic_queue_retransmit_on_ack gets its address */
    picoquic_path_t path;
    picoquic_path_t *paths[1];
    picoquic_packet_context_t *context;
    struct slots packets; /* pointers; NULL once a packet is acknowledged */
    struct losses losses;
    uint64_t first_sent;
    uint64_t ce_packets; /* marked, not acknowledged yet */
};

static inline uint64_t time_of(uint64_t t_ns)
{
    return BEGIN_US + t_ns / 1000;
}

/* Notify the controller of a loss, a mark or a spurious loss, with the number of the packet. */
void notify(struct adapter *self, picoquic_congestion_notification_t notification, uint64_t packet, uint64_t now);

/* One event. on_sent returns FIRSTFLIGHT_OBSERVED or FIRSTFLIGHT_FAULT. */
int on_sent(struct adapter *self, const struct firstflight_event *event, uint64_t now);
void on_ack(struct adapter *self, const struct firstflight_event *event, uint64_t now);
void on_lost(struct adapter *self, const struct firstflight_event *event, uint64_t now);
void on_ce(struct adapter *self, const struct firstflight_event *event, uint64_t now);
void on_pto(struct adapter *self, uint64_t now);

void packets_end(struct adapter *self);

#endif
