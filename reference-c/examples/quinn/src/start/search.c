/* SEARCH as in draft -09: it counts every ACK, and decides while NewReno is in slow start. */
#include "start.h"

static void begin(struct start *s, uint32_t datagram_bytes) { search_draft_09_begin(&s->is.search, datagram_bytes); }

static void on_sent(struct start *s, const struct sent *sent) { search_draft_09_on_sent(&s->is.search, sent->bytes); }

static void on_ack(struct start *s, const struct ack *ack)
{
    enum search_draft_09_outcome outcome = SEARCH_DRAFT_09_SAME_BIN;
    uint64_t packets = 0;

    for (uint32_t i = 0; i < ack->run_count; i++) {
        packets += ack->runs[i].last - ack->runs[i].first + 1;
    }
    search_draft_09_count(&s->is.search, ack->bytes);
    if (ack->rtt_ns != START_NONE) {
        search_draft_09_rtt(&s->is.search, ack->rtt_ns);
    }
    if (!s->base.in_recovery && newreno_rfc_9002_in_slow_start(&s->base)) {
        outcome = search_draft_09_on_ack(&s->is.search, ack->now_ns, packets, ack->bytes_in_flight, &s->base.congestion_window);
    }
    switch (outcome) {
    case SEARCH_DRAFT_09_DRAINED: /* slow start is over */
        s->base.ssthresh = s->base.congestion_window;
        break;
    case SEARCH_DRAFT_09_EXITED: /* the drain begins; the window does not grow */
    case SEARCH_DRAFT_09_DRAINING:
        break;
    default:
        base_on_ack(s, ack);
    }
}

static void on_lost(struct start *s, const struct lost *lost)
{
    base_on_lost(s, lost);
    if (lost->persistent) {
        search_draft_09_restart(&s->is.search);
    }
}

const struct algorithm start_search = {begin, on_sent, on_ack, on_lost, 0};
