/* Jump Start (PFLDnet 2007): it borrows NewReno's window for each call. */
#include "start.h"

static struct jumpstart_pfldnet_2007_window lent(const struct start *s)
{
    struct jumpstart_pfldnet_2007_window window;

    window.cwnd = s->base.congestion_window;
    window.ssthresh = s->base.ssthresh;
    window.recovery_start_time = s->base.congestion_recovery_start_time;
    window.in_recovery = s->base.in_recovery;
    return window;
}

static void take_back(struct start *s, const struct jumpstart_pfldnet_2007_window *window)
{
    s->base.congestion_window = window->cwnd;
    s->base.ssthresh = window->ssthresh;
    s->base.congestion_recovery_start_time = window->recovery_start_time;
    s->base.in_recovery = window->in_recovery;
}

static struct jumpstart_pfldnet_2007_range numbers(const struct packets *packets)
{
    struct jumpstart_pfldnet_2007_range range;

    range.first = packets->first;
    range.last = packets->last;
    return range;
}

static void begin(struct start *s, uint32_t datagram_bytes) { jumpstart_pfldnet_2007_begin(&s->is.jump, datagram_bytes); }

static void on_sent(struct start *s, const struct sent *sent)
{
    struct jumpstart_pfldnet_2007_range resent[START_RUNS];
    struct jumpstart_pfldnet_2007_sent left;

    for (uint32_t i = 0; i < sent->resent_count; i++) {
        resent[i] = numbers(&sent->resent[i]);
    }
    left.packets = sent->last - sent->first + 1;
    left.last = sent->last;
    left.retransmits = resent;
    left.retransmit_count = sent->resent_count;
    jumpstart_pfldnet_2007_on_sent(&s->is.jump, &left);
}

static void on_ack(struct start *s, const struct ack *ack)
{
    struct jumpstart_pfldnet_2007_window window = lent(s);
    struct jumpstart_pfldnet_2007_ack arrived;
    enum jumpstart_pfldnet_2007_outcome outcome;

    arrived.largest_packet = ack->runs[ack->run_count - 1].last;
    arrived.latest_sent_time = ack->runs[ack->run_count - 1].sent_ns;
    arrived.oldest_unacked_packet = JUMPSTART_PFLDNET_2007_NONE; /* unknown with quinn: the send times decide */
    outcome = jumpstart_pfldnet_2007_on_ack(&s->is.jump, &arrived, &window);
    take_back(s, &window);
    if (outcome == JUMPSTART_PFLDNET_2007_NORMAL || outcome == JUMPSTART_PFLDNET_2007_JUMP_ENDED) {
        base_on_ack(s, ack);
    }
}

static void on_lost(struct start *s, const struct lost *lost)
{
    struct jumpstart_pfldnet_2007_window window = lent(s);
    struct jumpstart_pfldnet_2007_range gone = numbers(&lost->packets);

    if (lost->marked) {
        jumpstart_pfldnet_2007_on_ce(&s->is.jump, gone.last, lost->sent_ns, lost->now_ns, &window);
    } else {
        jumpstart_pfldnet_2007_on_lost(&s->is.jump, &gone, 1, lost->sent_ns, lost->now_ns, &window);
    }
    if (lost->persistent) {
        jumpstart_pfldnet_2007_on_timeout(&s->is.jump, &window);
    }
    take_back(s, &window);
}

static void on_ready(struct start *s, const struct ready *ready)
{
    struct jumpstart_pfldnet_2007_window window = lent(s);
    struct jumpstart_pfldnet_2007_backlog backlog;

    backlog.now_ns = ready->now_ns;
    backlog.queued_bytes = ready->queued_bytes;
    backlog.receive_window_bytes = ready->receive_window_bytes;
    backlog.latest_rtt_ns = ready->latest_rtt_ns;
    jumpstart_pfldnet_2007_on_backlog(&s->is.jump, &backlog, &window);
    take_back(s, &window);
}

const struct algorithm start_jumpstart = {begin, on_sent, on_ack, on_lost, on_ready};
