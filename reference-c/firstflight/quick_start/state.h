/* The state of Quick-Start, and the range of Quick-Start packets (spec/quick-start/rules.md). */
#ifndef FIRSTFLIGHT_QUICK_START_STATE_H
#define FIRSTFLIGHT_QUICK_START_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/quick_start/profiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rate is 40000 * 2^N bit/s: a byte takes 200000 / 2^N ns. */
#define FF_QUICK_START_BYTE_NS 200000

struct ff_quick_start {
    uint64_t request_packet; /* packet with the pending request, or FF_NO_PACKET */
    /* Quick-Start mode: it began at start_ns with a window of window_bytes */
    uint64_t start_ns;
    uint64_t window_bytes;    /* at most FF_JUMP_MAX_BYTES */
    uint64_t planned_packets; /* likewise */
    uint64_t sent_packets;    /* at most planned_packets */
    uint64_t usual_bytes;     /* the window without Quick-Start */
    /* Quick-Start packets */
    uint64_t first_quick;  /* or FF_NO_PACKET */
    uint64_t end_quick;    /* the packet after the last; FF_NO_PACKET until the mode ends */
    uint64_t lost_packets; /* Quick-Start packets declared lost */
    /* the connection after the last event */
    uint64_t in_flight_bytes;
    uint64_t next_packet;
    bool at_handshake; /* until the first data is ready */
    bool armed;        /* the next packet carries a request */
    bool barred;       /* Quick-Start was reverted */
    bool quick;        /* the mode is in progress */
    bool midway;       /* the last mode began in the middle of the connection */
    bool limited;      /* slow start is limited */
};

/* Store the bytes in flight; the number saturates like windows. */
void ff_quick_start_set_in_flight(struct ff_quick_start *state, uint64_t bytes_in_flight);

/* Return the time of a packet with its headers at 40000 bit/s, in ns. */
uint64_t ff_quick_start_packet_ns(const struct ff_quick_start_readings *readings, uint64_t datagram_bytes);

/* Return the number of packets per RTT at the approved rate, rounded down. */
uint64_t ff_quick_start_window_packets(const struct ff_quick_start_readings *readings, uint64_t datagram_bytes, uint64_t rtt_ns);

/* Return the earliest time of the next packet of Quick-Start mode, which may be past, or FF_NONE without a packet. */
uint64_t ff_quick_start_next_release_ns(const struct ff_quick_start_readings *readings, const struct ff_quick_start *state,
                                        uint64_t datagram_bytes);

/* End Quick-Start mode: packets sent from now on are not Quick-Start packets. */
void ff_quick_start_end_mode(struct ff_quick_start *state);

/* Return the number of Quick-Start packets in first..last. */
uint64_t ff_quick_start_quick_packets(const struct ff_quick_start *state, uint64_t first, uint64_t last);

/* Return the number of Quick-Start packets in the runs. */
uint64_t ff_quick_start_quick_packets_of(const struct ff_quick_start *state, const struct ff_run *runs, size_t run_count);

/* Return the number of Quick-Start packets sent and not declared lost so far. */
uint64_t ff_quick_start_delivered_packets(const struct ff_quick_start *state);

#ifdef __cplusplus
}
#endif

#endif
