/*
 * Events out of bytes. Each number is written as its difference from what the rules of spec/events.md would give there (the next packet, the
 * sum of the runs, the RTT of the estimator), modulo 2^64: zeros make a stream that keeps them, and every other stream can be written as
 * well. seeds.py writes the same form.
 */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "firstflight/events.h"

#define FUZZ_RUNS 16
#define FUZZ_SENDS 64

struct fuzz_stream {
    const uint8_t *at, *end;
    uint64_t mss, t_ns, next_packet, in_flight, min_rtt_ns, smoothed_rtt_ns;
    uint64_t front; /* the packet after those that were acknowledged or lost last */
    struct {
        uint64_t first, t_ns;
    } sends[FUZZ_SENDS]; /* the last ones, in a ring */
    size_t send_count;
    struct ff_run runs[FUZZ_RUNS]; /* of the event at hand */
    struct ff_range ranges[FUZZ_RUNS];
};

static inline uint8_t fuzz_byte(struct fuzz_stream *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

/* 0..159: that much more; 160..191: 1..32 less; 192..199: the difference in 1..8 bytes; 200..254: 2^8..2^62 more; 255: UINT64_MAX. */
static inline uint64_t fuzz_number(struct fuzz_stream *s, uint64_t expected)
{
    uint8_t code = fuzz_byte(s);
    uint64_t difference = 0;

    if (code == 255) {
        return UINT64_MAX;
    }
    if (code >= 200) {
        return expected + (UINT64_C(1) << (code - 192));
    }
    if (code < 160) {
        return expected + code;
    }
    if (code < 192) {
        return expected - (code - 159u);
    }
    for (int i = 0; i < code - 191; i++) {
        difference |= (uint64_t)fuzz_byte(s) << (8 * i);
    }
    return expected + difference;
}

static inline void fuzz_begin(struct fuzz_stream *s, const uint8_t *data, size_t size)
{
    *s = (struct fuzz_stream){.at = data, .end = data + size, .t_ns = 1, .min_rtt_ns = FF_NO_RTT_NS, .smoothed_rtt_ns = FF_NO_RTT_NS};
}

/* Return when a packet was sent, as far as that is remembered. */
static inline uint64_t fuzz_sent_t_ns(const struct fuzz_stream *s, uint64_t packet)
{
    for (size_t back = 1; back <= FUZZ_SENDS && back <= s->send_count; back++) {
        size_t place = (s->send_count - back) % FUZZ_SENDS;
        if (s->sends[place].first <= packet) {
            return s->sends[place].t_ns;
        }
    }
    return s->t_ns;
}

/* Read the runs of an event; return their sum. `first` is the packet with which they should begin. */
static inline uint64_t fuzz_read_runs(struct fuzz_stream *s, uint64_t first, bool are_sent, size_t *count)
{
    uint64_t bytes = 0;

    *count = (fuzz_byte(s) + 1u) % (FUZZ_RUNS + 1);
    for (size_t i = 0; i < *count; i++) {
        struct ff_run *run = &s->runs[i];
        run->first = fuzz_number(s, first);
        run->last = fuzz_number(s, run->first);
        run->size_bytes = fuzz_number(s, s->mss);
        run->sent_t_ns = fuzz_number(s, are_sent ? s->t_ns : fuzz_sent_t_ns(s, run->first));
        bytes += ff_run_count(run) * run->size_bytes;
        first = run->last + 1;
    }
    return bytes;
}

static inline void fuzz_read_sent(struct fuzz_stream *s, struct ff_sent *sent, bool repeats)
{
    uint64_t bytes = fuzz_read_runs(s, s->next_packet, true, &sent->run_count);

    sent->packets = s->runs;
    sent->bytes = fuzz_number(s, bytes);
    sent->bytes_in_flight = s->in_flight = fuzz_number(s, s->in_flight + sent->bytes);
    sent->retransmits = s->ranges;
    sent->retransmit_count = repeats ? fuzz_byte(s) % (FUZZ_RUNS + 1) : 0;
    for (size_t i = 0; i < sent->retransmit_count; i++) {
        s->ranges[i].first = fuzz_number(s, s->front);
        s->ranges[i].last = fuzz_number(s, s->ranges[i].first);
    }
    if (sent->run_count > 0) {
        s->sends[s->send_count % FUZZ_SENDS].first = s->runs[0].first;
        s->sends[s->send_count++ % FUZZ_SENDS].t_ns = s->t_ns;
        s->next_packet = s->runs[sent->run_count - 1].last + 1;
    }
}

/* Read three RTTs. The estimator is that of spec/events.md. */
static inline void fuzz_read_rtts(struct fuzz_stream *s, struct ff_ack *ack)
{
    uint64_t latest = ack->run_count > 0 ? s->t_ns - s->runs[ack->run_count - 1].sent_t_ns : FF_NO_RTT_NS;
    uint64_t least = s->min_rtt_ns, smoothed = s->smoothed_rtt_ns;

    ack->latest_rtt_ns = latest = fuzz_number(s, latest);
    ack->ack_delay_ns = fuzz_number(s, 0);
    if (latest != FF_NO_RTT_NS && smoothed == FF_NO_RTT_NS) {
        least = smoothed = latest;
    } else if (latest != FF_NO_RTT_NS) {
        least = latest < least ? latest : least;
        uint64_t adjusted = latest - least >= ack->ack_delay_ns ? latest - ack->ack_delay_ns : latest;
        smoothed = (7 * smoothed + adjusted) / 8;
    }
    ack->min_rtt_ns = s->min_rtt_ns = fuzz_number(s, least);
    ack->smoothed_rtt_ns = s->smoothed_rtt_ns = fuzz_number(s, smoothed);
}

static inline void fuzz_read_ack(struct fuzz_stream *s, struct ff_ack *ack, bool has_oldest)
{
    uint64_t bytes = fuzz_read_runs(s, s->front, false, &ack->run_count);

    ack->packets = s->runs;
    ack->bytes = fuzz_number(s, bytes);
    ack->bytes_in_flight = s->in_flight = fuzz_number(s, s->in_flight - ack->bytes);
    ack->next_packet = fuzz_number(s, s->next_packet);
    fuzz_read_rtts(s, ack);
    s->front = ack->run_count > 0 ? s->runs[ack->run_count - 1].last + 1 : s->front;
    ack->oldest_unacked_packet = has_oldest ? fuzz_number(s, s->front) : FF_NO_PACKET;
}

static inline void fuzz_read_lost(struct fuzz_stream *s, struct ff_lost *lost)
{
    uint64_t bytes = fuzz_read_runs(s, s->front, false, &lost->run_count);

    lost->packets = s->runs;
    lost->bytes = fuzz_number(s, bytes);
    lost->bytes_in_flight = s->in_flight = fuzz_number(s, s->in_flight - lost->bytes);
    lost->next_packet = fuzz_number(s, s->next_packet);
    s->front = lost->run_count > 0 ? s->runs[lost->run_count - 1].last + 1 : s->front;
}

static inline void fuzz_read_saved_path(struct fuzz_stream *s, struct ff_saved_path *saved, unsigned flags)
{
    saved->endpoint_matches = flags & 1;
    saved->in_use = flags & 2;
    saved->saved_cwnd_bytes = fuzz_number(s, 0);
    saved->saved_rtt_ns = fuzz_number(s, 0);
    saved->expires_t_ns = fuzz_number(s, s->t_ns);
    saved->max_jump_bytes = fuzz_number(s, 0);
    saved->beta_numerator = fuzz_number(s, 1);
    saved->beta_denominator = fuzz_number(s, 2);
}

/* Read the next event, of any kind and also of none; return whether there are bytes for one. */
static inline bool fuzz_event(struct fuzz_stream *s, struct ff_event *event)
{
    if (s->at == s->end) {
        return false;
    }
    uint8_t first = fuzz_byte(s);
    unsigned flags = first >> 4;
    *event = (struct ff_event){.kind = (enum ff_event_kind)(first & 15)};
    event->t_ns = s->t_ns = fuzz_number(s, s->t_ns);
    switch (event->kind) {
    case FF_EVENT_SENT:
        event->sent.app_limited = flags & 1;
        fuzz_read_sent(s, &event->sent, flags & 2);
        break;
    case FF_EVENT_ACK:
        event->ack.app_limited = flags & 1;
        fuzz_read_ack(s, &event->ack, flags & 2);
        break;
    case FF_EVENT_LOST:
        fuzz_read_lost(s, &event->lost);
        break;
    case FF_EVENT_CE:
        event->ce.packet = fuzz_number(s, s->front);
        event->ce.sent_t_ns = fuzz_number(s, s->t_ns);
        event->ce.ce_count = fuzz_number(s, 0);
        break;
    case FF_EVENT_BACKLOG:
        event->backlog.queued_bytes = fuzz_number(s, 0);
        event->backlog.receive_window_bytes = fuzz_number(s, 0);
        event->backlog.latest_rtt_ns = fuzz_number(s, 0);
        break;
    case FF_EVENT_SAVED_PATH:
        fuzz_read_saved_path(s, &event->saved_path, flags);
        break;
    default:
        break;
    }
    return true;
}

#endif
