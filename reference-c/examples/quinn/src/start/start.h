/* A startup algorithm on NewReno, with the inputs of quinn's controllers: windows and sizes in bytes, times in ns. */
#ifndef START_H
#define START_H

#include "careful_resume_rfc_9959.h"
#include "hystartpp_rfc_9406.h"
#include "jumpstart_pfldnet_2007.h"
#include "newreno_rfc_9002.h"
#include "search_draft_09.h"

#define START_NONE UINT64_MAX /* no threshold, no RTT sample, no number of a packet */
#define START_RUNS 64 /* runs in an ACK or among packets sent again; more runs come with the next call */

/* Packets of one size that left at one time. */
struct packets {
    uint64_t first, last, sent_ns;
    uint32_t size_bytes;
};

/* An ACK: newly acknowledged packets in the order of sending, bytes left in flight, and the next packet number. */
struct ack {
    uint64_t now_ns, bytes, bytes_in_flight, rtt_ns, next_packet;
    const struct packets *runs;
    uint32_t run_count;
    int app_limited;
};

/* Packets sent. `resent`: lost packets whose data they carry again. */
struct sent {
    uint64_t now_ns, first, last, bytes, bytes_in_flight;
    const struct packets *resent;
    uint32_t resent_count;
};

/* Packets declared lost; empty for an ECN-CE mark. `sent_ns`: the latest send time among the packets. */
struct lost {
    uint64_t now_ns, sent_ns, bytes_in_flight;
    struct packets packets;
    int marked, persistent;
};

/* The handshake is complete, and this much data waits. `saved_cwnd`: 0 without a saved set of an earlier connection. */
struct ready {
    uint64_t now_ns, queued_bytes, receive_window_bytes, latest_rtt_ns, saved_cwnd, saved_rtt_ns;
};

/* The state of a connection; it may be copied bytewise. */
struct start {
    int algorithm;
    struct newreno_rfc_9002 base;
    union {
        struct search_draft_09 search;
        struct hystartpp_rfc_9406 hystartpp;
        struct careful_resume_rfc_9959 resume;
        struct jumpstart_pfldnet_2007 jump;
    } is;
};

/* Functions of an algorithm. `on_ack` and `on_lost` replace the base's functions. */
struct algorithm {
    void (*begin)(struct start *, uint32_t datagram_bytes);
    void (*on_sent)(struct start *, const struct sent *);
    void (*on_ack)(struct start *, const struct ack *);
    void (*on_lost)(struct start *, const struct lost *);
    void (*on_ready)(struct start *, const struct ready *);
};

extern const struct algorithm start_search, start_hystartpp, start_careful_resume, start_jumpstart;

/* NewReno alone. */
void base_on_ack(struct start *s, const struct ack *ack);
void base_on_lost(struct start *s, const struct lost *lost);

/* Interface for Rust. */
uint64_t start_size(void);
void start_begin(struct start *s, int algorithm, uint32_t datagram_bytes, uint64_t initial_window);
void start_on_sent(struct start *s, const struct sent *sent);
void start_on_ack(struct start *s, const struct ack *ack);
void start_on_lost(struct start *s, const struct lost *lost);
void start_on_ready(struct start *s, const struct ready *ready);
uint64_t start_window(const struct start *s);
uint64_t start_threshold(const struct start *s);

#endif
