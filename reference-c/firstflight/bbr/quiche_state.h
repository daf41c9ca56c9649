/* What quiche keeps beside the state of the draft (spec/bbr/rules.md). Rates are whole bits a second. */
#ifndef FIRSTFLIGHT_BBR_QUICHE_STATE_H
#define FIRSTFLIGHT_BBR_QUICHE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The flights that are remembered, 64 bytes each. Who does not run bbr/quiche may define 1 for all files: a controller then has 1.8 kB, not 18. */
#ifndef FF_BBR_QUICHE_FLIGHTS_MAX
#define FF_BBR_QUICHE_FLIGHTS_MAX 256
#endif

/* What is noted of packets of one size that left one after the other, with nothing happening in between. */
struct ff_bbr_flight {
    uint64_t first_packet;
    uint64_t sent_bytes;      /* sent in all, and in flight, before them */
    uint64_t in_flight_bytes;
    uint64_t acked_bytes;     /* acknowledged in all */
    uint64_t last_sent_bytes; /* had been sent in all with the packet acknowledged last */
    uint64_t last_sent_ns;    /* when that was sent and acknowledged */
    uint64_t last_acked_ns;
    uint32_t size_bytes; /* of each */
    bool app_limited;
};

/* How much more than expected was acknowledged in a time. 0 of 0 is none. */
struct ff_bbr_height {
    uint64_t extra_bytes;
    uint64_t acked_bytes;
    uint64_t time_ns;
    uint64_t round_count;
};

/* The largest of the samples of an ACK. Without a sample `is_valid` is false, and nothing else counts. */
struct ff_bbr_largest {
    uint64_t rate;
    uint64_t rtt_ns;          /* the smallest */
    uint64_t delivered_bytes; /* the most that was acknowledged while a packet was in flight */
    uint64_t acked_bytes;     /* this and the rest are of the packet sent last */
    uint64_t in_flight_bytes;
    bool app_limited;
    bool is_valid;
};

/* Totals, rates, and the present round. last_...: as in ff_bbr_flight. */
struct ff_bbr_quiche {
    uint64_t sent_bytes;
    uint64_t acked_bytes;
    uint64_t last_sent_packet;
    uint64_t last_sent_bytes;
    uint64_t last_sent_ns;
    uint64_t last_acked_ns;
    uint64_t last_acked_packet;
    uint64_t limited_end_packet; /* sent last when the application left a gap; FF_NO_PACKET for that of the beginning */
    uint64_t round_end_packet;   /* FF_NO_PACKET before the first ACK */
    uint64_t max_rate;
    uint64_t full_rate;
    uint64_t latest_rate; /* the largest of the round */
    uint64_t latest_bytes;
    uint64_t rate_bound; /* UINT64_MAX while there is none */
    uint64_t lost_bytes; /* this, events and what an ACK found delivered are of the round */
    uint64_t loss_events;
    uint64_t delivered_bytes;
    uint64_t pacing_rate;
    uint64_t epoch_start_ns; /* since when was acknowledged faster than expected; FF_NONE before */
    uint64_t epoch_bytes;
    uint64_t epoch_packet; /* sent last when that began */
    struct ff_bbr_height first_height;
    struct ff_bbr_height second_height;
    struct ff_bbr_height third_height;
    struct ff_bbr_flight flights[FF_BBR_QUICHE_FLIGHTS_MAX]; /* a ring: the oldest is at flights_begin */
    uint32_t flights_begin;
    uint32_t flights_count;
    bool flight_goes_on; /* nothing happened since the last one */
    bool app_limited;
};

#ifdef __cplusplus
}
#endif

#endif
