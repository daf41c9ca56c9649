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

#ifdef __cplusplus
extern "C" {
#endif

/* An RTT that is not there: no sample was taken. */
#define FF_NO_RTT_NS UINT64_MAX

/* Consecutive packets of one size that were sent at one time. */
struct ff_run {
    uint64_t first;      /* packet numbers, both included; at most FF_RUN_MAX_PACKETS of them */
    uint64_t last;
    uint64_t size_bytes; /* of each packet, 1..FF_DATAGRAM_MAX_BYTES */
    uint64_t sent_t_ns;  /* 1..time of the event */
};

/* Packet numbers, both included; at most FF_RUN_MAX_PACKETS of them. */
struct ff_range {
    uint64_t first;
    uint64_t last;
};

/*
 * Packets were sent. bytes_in_flight counts them already; their sent_t_ns is the time of the event. `retransmits` are the packets
 * that first carried the data which these carry again; it may be NULL if there are none.
 */
struct ff_sent {
    const struct ff_run *packets;
    size_t run_count;
    uint64_t bytes; /* the sum over the runs, 1..FF_EVENT_MAX_BYTES */
    uint64_t bytes_in_flight;
    bool app_limited;
    const struct ff_range *retransmits;
    size_t retransmit_count;
};

/* A packet number that the stream does not say. */
#define FF_NO_PACKET UINT64_MAX

/*
 * One ACK frame newly acknowledged packets. RTTs are within 0..FF_TIME_MAX_NS or FF_NO_RTT_NS. `oldest_unacked_packet` is the first
 * packet whose data is not acknowledged, neither in it nor in one that repeats it, the next packet number if there is none, or
 * FF_NO_PACKET.
 */
struct ff_ack {
    const struct ff_run *packets;
    size_t run_count;
    uint64_t bytes; /* the sum over the runs, 1..FF_EVENT_MAX_BYTES */
    uint64_t bytes_in_flight;
    uint64_t next_packet; /* 0..FF_PACKET_MAX + 1 */
    bool app_limited;
    uint64_t latest_rtt_ns;
    uint64_t min_rtt_ns;
    uint64_t smoothed_rtt_ns;
    uint64_t ack_delay_ns;
    uint64_t oldest_unacked_packet;
};

/* The loss detector declared packets lost. */
struct ff_lost {
    const struct ff_run *packets;
    size_t run_count;
    uint64_t bytes; /* the sum over the runs, 1..FF_EVENT_MAX_BYTES */
    uint64_t bytes_in_flight;
    uint64_t next_packet; /* 0..FF_PACKET_MAX + 1 */
};

/* The ECN-CE counter rose to ce_count; packet, sent at sent_t_ns, is the largest that the frame acknowledges. */
struct ff_ce {
    uint64_t packet;
    uint64_t sent_t_ns; /* 1..time of the event */
    uint64_t ce_count;
};

/*
 * Data is ready to be sent: after the handshake, after idle time, or more than before; or the receive window changed. The RTT is
 * within 0..FF_TIME_MAX_NS or FF_NO_RTT_NS.
 */
struct ff_backlog {
    uint64_t queued_bytes;         /* not sent yet, 0..FF_WINDOW_MAX_BYTES */
    uint64_t receive_window_bytes; /* may be sent from now on, 0..FF_WINDOW_MAX_BYTES */
    uint64_t latest_rtt_ns;
};

/*
 * Connection setup is complete, and this is the saved set for the Remote Endpoint, with what the endpoint allows. A saved window or RTT
 * of 0 stands for no set.
 */
struct ff_saved_path {
    uint64_t saved_cwnd_bytes; /* 0..FF_WINDOW_MAX_BYTES */
    uint64_t saved_rtt_ns;     /* 0..FF_TIME_MAX_NS */
    bool endpoint_matches;
    bool in_use;
    uint64_t expires_t_ns;   /* the end of its Lifetime, 0..FF_TIME_MAX_NS; UINT64_MAX: it has none */
    uint64_t max_jump_bytes; /* 1..FF_WINDOW_MAX_BYTES; UINT64_MAX: no bound */
    uint64_t beta_numerator; /* Beta, between 1/2 and 1; both at most FF_BETA_MAX */
    uint64_t beta_denominator;
};

enum ff_event_kind {
    FF_EVENT_SENT = 0,
    FF_EVENT_ACK,
    FF_EVENT_LOST,
    FF_EVENT_CE,
    FF_EVENT_PERSISTENT_CONGESTION, /* RFC 9002, section 7.6 */
    FF_EVENT_PTO,                   /* RFC 9002, section 6.2 */
    FF_EVENT_BACKLOG,
    FF_EVENT_IDLE_RESTART, /* idle so long that the window is not validated any more (RFC 7661) */
    FF_EVENT_SAVED_PATH,
    FF_EVENT_PATH_CHANGE,   /* migration, or a signal of the local network */
    FF_EVENT_SPURIOUS_LOSS, /* packets declared lost were acknowledged after all */
};

/* One event; its kind says which member of the union holds the rest. The kinds without a member here have none. */
struct ff_event {
    enum ff_event_kind kind;
    uint64_t t_ns;
    union {
        struct ff_sent sent;
        struct ff_ack ack;
        struct ff_lost lost;
        struct ff_ce ce;
        struct ff_backlog backlog;
        struct ff_saved_path saved_path;
    };
};

/* Return how many packets a valid run has. */
static inline uint64_t ff_run_count(const struct ff_run *run)
{
    return run->last - run->first + 1;
}

/* Return FF_OK, or FF_ERR_DOMAIN if the event lies outside the domain in limits.h. */
enum ff_status ff_event_check(const struct ff_event *event);

#ifdef __cplusplus
}
#endif

#endif
