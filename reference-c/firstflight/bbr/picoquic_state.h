/* What BBR of picoquic knows beside the state of the draft (spec/bbr/rules.md). Times are whole microseconds, counted in ns. */
#ifndef FIRSTFLIGHT_BBR_PICOQUIC_STATE_H
#define FIRSTFLIGHT_BBR_PICOQUIC_STATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BBRRTTJitterBufferLen. */
#define FF_BBR_PICOQUIC_JITTER_RTTS 7

/* State that only picoquic has. */
struct ff_bbr_picoquic {
    uint64_t estimate_bytes_per_s; /* the last rate of the path, of a packet that was sent at estimate_sent_ns */
    uint64_t estimate_sent_ns;
    uint64_t path_rtt_ns;                         /* the smallest RTT of the path, FF_NO_RTT_NS before one, as the next two */
    uint64_t rtts_ns[FF_BBR_PICOQUIC_JITTER_RTTS]; /* the last ones, rtt_count were taken so far, the last one at rtt_stamp_ns */
    uint64_t rtt_count;
    uint64_t rtt_stamp_ns;
    uint64_t shortest_ns; /* of these */
    uint64_t longest_ns;
    uint64_t rtt_excess;     /* ACKs in a row, nearly, whose RTTs were too long */
    uint64_t highest_packet; /* the last one that was acknowledged */
    uint64_t round_end_packet;
    uint64_t recovery_end_packet;
    uint64_t limited_bytes; /* what is delivered where the gap of the application is over, 0 for none */
    uint64_t sent_ns;       /* when a packet was sent last, FF_NONE before */
    uint64_t lost_ranges;   /* since the last ACK */
    bool lost_since_ack;
    bool too_high_in_round; /* too much was lost at an ACK of this round */
};

#ifdef __cplusplus
}
#endif

#endif
