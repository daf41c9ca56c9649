/* The state of JumpStart, and what a first flight consists of (spec/jumpstart/rules.md). */
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
    /* the jump: amount_bytes in planned_packets of packet_bytes over rtt_ns from start_ns on, of which limit_packets may leave */
    uint64_t start_ns;
    uint64_t rtt_ns;
    uint64_t amount_bytes;    /* at most FF_JUMP_MAX_BYTES */
    uint64_t planned_packets; /* likewise */
    uint64_t packet_bytes;    /* of planned_packets: the maximum datagram size when the jump began */
    uint64_t limit_packets;   /* likewise */
    uint64_t sent_packets;    /* at most limit_packets */
    uint64_t flight_first;    /* packets of the flight; FF_NO_PACKET: there is none */
    uint64_t flight_end;      /* the one after its last so far; FF_NO_PACKET likewise */
    /* the loss accounting */
    uint64_t repeats;        /* R */
    uint64_t recovery_point; /* the next packet number when recovery began */
    uint64_t acked_bytes;    /* of the flight */
    /* the connection after the last event */
    uint64_t in_flight_bytes;
    uint64_t next_packet;
    uint64_t smoothed_rtt_ns; /* or FF_NO_RTT_NS */
    uint64_t counted_packets; /* towards the next growth */
    bool jumping;
    bool spent;      /* there was a jump */
    bool at_once;    /* the flight is not paced */
    bool accounting; /* it waits for the end of recovery */
    bool accounted;  /* it acted */
    bool window_full; /* the last packets sent left less than one in the window */
    bool reduced;     /* there was a reduction */
};

/* Note how much is in flight; the number saturates as windows do. */
void ff_jumpstart_set_in_flight(struct ff_jumpstart *state, uint64_t bytes_in_flight);

/* Count packets sent in the jump; packets beyond those that were planned are not part of the flight. */
void ff_jumpstart_add_to_flight(const struct ff_jumpstart_readings *readings, struct ff_jumpstart *state,
                                const struct ff_run *runs, size_t run_count);

/* Return whether a packet number is one of the flight. */
bool ff_jumpstart_in_flight(const struct ff_jumpstart *state, uint64_t packet);

/* Return how many of the packets first..last are of the flight. */
uint64_t ff_jumpstart_overlap(const struct ff_jumpstart *state, uint64_t first, uint64_t last);

/* Return how many packets of the runs are of the flight. */
uint64_t ff_jumpstart_packets_in_flight(const struct ff_jumpstart *state, const struct ff_run *runs, size_t run_count);

#ifdef __cplusplus
}
#endif

#endif
