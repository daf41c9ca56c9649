/*
 * The event alphabet (spec/events.md).
 *
 * All times are those of the sender's clock in ns, within 1..FF_TIME_MAX_NS; sizes are in bytes. An event borrows its runs
 * for the length of the call.
 */
#ifndef FIRSTFLIGHT_EVENTS_H
#define FIRSTFLIGHT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firstflight/limits.h"

/* An RTT that is not there: no sample was taken. */
#define FF_NO_RTT_NS UINT64_MAX

/* Consecutive packets of one size that were sent at one time. */
struct ff_run {
    uint64_t first;      /* packet numbers, both included; at most FF_RUN_MAX_PACKETS of them */
    uint64_t last;
    uint64_t size_bytes; /* of each packet, 1..FF_DATAGRAM_MAX_BYTES */
    uint64_t sent_t_ns;  /* 1..time of the event */
};

/* Packets were sent. bytes_in_flight counts them already; their sent_t_ns is the time of the event. */
struct ff_sent {
    const struct ff_run *packets;
    size_t run_count;
    uint64_t bytes; /* the sum over the runs, 1..FF_EVENT_MAX_BYTES */
    uint64_t bytes_in_flight;
    bool app_limited;
};

/* One ACK frame newly acknowledged packets. RTTs are within 0..FF_TIME_MAX_NS or FF_NO_RTT_NS. */
struct ff_ack {
    const struct ff_run *packets;
    size_t run_count;
    uint64_t bytes; /* the sum over the runs, 1..FF_EVENT_MAX_BYTES */
    uint64_t bytes_in_flight;
    uint64_t next_packet;
    bool app_limited;
    uint64_t latest_rtt_ns;
    uint64_t min_rtt_ns;
    uint64_t smoothed_rtt_ns;
    uint64_t ack_delay_ns;
};

/* The loss detector declared packets lost. */
struct ff_lost {
    const struct ff_run *packets;
    size_t run_count;
    uint64_t bytes; /* the sum over the runs, 1..FF_EVENT_MAX_BYTES */
    uint64_t bytes_in_flight;
    uint64_t next_packet;
};

/* The ECN-CE counter rose to ce_count; packet, sent at sent_t_ns, is the largest newly acknowledged. */
struct ff_ce {
    uint64_t packet;
    uint64_t sent_t_ns; /* 1..time of the event */
    uint64_t ce_count;
};

enum ff_event_kind {
    FF_EVENT_SENT = 0,
    FF_EVENT_ACK,
    FF_EVENT_LOST,
    FF_EVENT_CE,
    FF_EVENT_PERSISTENT_CONGESTION, /* RFC 9002, section 7.6 */
    FF_EVENT_PTO,                   /* RFC 9002, section 6.2 */
};

/* One event; its kind says which member of the union holds the rest. The last two kinds have none. */
struct ff_event {
    enum ff_event_kind kind;
    uint64_t t_ns;
    union {
        struct ff_sent sent;
        struct ff_ack ack;
        struct ff_lost lost;
        struct ff_ce ce;
    };
};

/* Return how many packets a valid run has. */
uint64_t ff_run_count(const struct ff_run *run);

/* Return FF_OK, or FF_ERR_DOMAIN if the event lies outside the domain in limits.h. */
enum ff_status ff_event_check(const struct ff_event *event);

#endif
