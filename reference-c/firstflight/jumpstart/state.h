/* The state of JumpStart, and the packets of a first flight (spec/jumpstart/rules.md). */
#ifndef FIRSTFLIGHT_JUMPSTART_STATE_H
#define FIRSTFLIGHT_JUMPSTART_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/jumpstart/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ff_jumpstart {
    uint64_t initial_window_bytes;
    /* the jump: amount_bytes in planned_packets of packet_bytes over rtt_ns from start_ns; limit_packets may be sent */
    uint64_t start_ns;
    uint64_t rtt_ns;
    uint64_t amount_bytes;    /* at most FF_JUMP_MAX_BYTES */
    uint64_t planned_packets; /* likewise */
    uint64_t packet_bytes;    /* size of planned_packets: the maximum datagram size when the jump began */
    uint64_t limit_packets;   /* likewise */
    uint64_t sent_packets;    /* at most limit_packets */
    uint64_t flight_first;    /* first packet of the flight; FF_NO_PACKET without a flight */
    uint64_t flight_end;      /* packet after its last packet so far; FF_NO_PACKET likewise */
    /* the loss accounting */
    uint64_t repeats;        /* R */
    uint64_t recovery_point; /* the next packet number when recovery began */
    uint64_t acked_bytes;    /* bytes acknowledged of the flight */
    /* the connection after the last event */
    uint64_t in_flight_bytes;
    uint64_t next_packet;
    uint64_t smoothed_rtt_ns; /* or FF_NO_RTT_NS */
    uint64_t counted_packets; /* towards the next growth */
    bool jumping;
    bool spent;      /* a jump has begun */
    bool at_once;    /* the flight is not paced */
    bool accounting; /* accounting waits for the end of recovery */
    bool accounted;  /* accounting is done */
    bool window_full; /* the last packets sent left room for less than one packet in the window */
    bool reduced;     /* the window has been reduced */
};

/* Store the bytes in flight; the number saturates like windows. */
void ff_jumpstart_set_in_flight(struct ff_jumpstart *state, uint64_t bytes_in_flight);

/* Count packets sent in the jump; packets beyond the plan are not part of the flight. */
void ff_jumpstart_add_to_flight(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                const struct ff_run *runs, size_t run_count);

/* Return whether a packet belongs to the flight. */
bool ff_jumpstart_in_flight(const struct ff_jumpstart *state, uint64_t packet);

/* Return the number of packets first..last that belong to the flight. */
uint64_t ff_jumpstart_overlap(const struct ff_jumpstart *state, uint64_t first, uint64_t last);

/* Return the number of packets of the runs that belong to the flight. */
uint64_t ff_jumpstart_packets_in_flight(const struct ff_jumpstart *state, const struct ff_run *runs, size_t run_count);

#ifdef __cplusplus
}
#endif

#endif
