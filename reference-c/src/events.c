/* The event alphabet: its domain. Mirrors reference-py/src/firstflight/events.py. */
#include "firstflight/events.h"

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return low <= value && value <= high;
}

static bool rtt_valid(uint64_t rtt_ns)
{
    return rtt_ns == FF_NO_RTT_NS || rtt_ns <= FF_TIME_MAX_NS;
}

static bool run_valid(const struct ff_run *run, uint64_t t_ns)
{
    /* The count is tested as a difference: first = 0, last = 2^64 - 1 would wrap. */
    return run->first <= run->last && run->last - run->first < FF_RUN_MAX_PACKETS &&
           run->last <= FF_PACKET_MAX && within(run->size_bytes, 1, FF_DATAGRAM_MAX_BYTES) && within(run->sent_t_ns, 1, t_ns);
}

static bool runs_valid(const struct ff_run *runs, size_t run_count, uint64_t total_bytes, uint64_t t_ns)
{
    uint64_t sum_bytes = 0;
    uint64_t next_packet = 0;

    if (run_count == 0 || !within(total_bytes, 1, FF_EVENT_MAX_BYTES)) {
        return false;
    }
    for (size_t i = 0; i < run_count; i++) {
        if (runs[i].first < next_packet || !run_valid(&runs[i], t_ns)) {
            return false;
        }
        next_packet = runs[i].last + 1;
        /* At most total_bytes < 2^48 so far; a run adds at most 65535 * 65535 < 2^32. */
        sum_bytes += ff_run_count(&runs[i]) * runs[i].size_bytes;
        if (sum_bytes > total_bytes) {
            return false;
        }
    }
    return sum_bytes == total_bytes;
}

static bool ranges_valid(const struct ff_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].first > ranges[i].last || ranges[i].last - ranges[i].first >= FF_RUN_MAX_PACKETS ||
            ranges[i].last > FF_PACKET_MAX) {
            return false;
        }
    }
    return true;
}

static bool ack_valid(const struct ff_ack *ack, uint64_t t_ns)
{
    return runs_valid(ack->packets, ack->run_count, ack->bytes, t_ns) && rtt_valid(ack->latest_rtt_ns) &&
           rtt_valid(ack->min_rtt_ns) && rtt_valid(ack->smoothed_rtt_ns) && ack->next_packet <= FF_PACKET_MAX + 1 &&
           (ack->oldest_unacked_packet <= FF_PACKET_MAX + 1 || ack->oldest_unacked_packet == FF_NO_PACKET);
}

static bool saved_path_valid(const struct ff_saved_path *saved)
{
    return saved->saved_cwnd_bytes <= FF_WINDOW_MAX_BYTES && saved->saved_rtt_ns <= FF_TIME_MAX_NS &&
           (saved->expires_t_ns == UINT64_MAX || saved->expires_t_ns <= FF_TIME_MAX_NS) &&
           (saved->max_jump_bytes == UINT64_MAX || within(saved->max_jump_bytes, 1, FF_WINDOW_MAX_BYTES)) &&
           within(saved->beta_denominator, 1, FF_BETA_MAX) &&
           within(saved->beta_numerator, (saved->beta_denominator + 1) / 2, saved->beta_denominator);
}

static bool valid(const struct ff_event *event)
{
    if (!within(event->t_ns, 1, FF_TIME_MAX_NS)) {
        return false;
    }
    switch (event->kind) {
    case FF_EVENT_SENT:
        return runs_valid(event->sent.packets, event->sent.run_count, event->sent.bytes, event->t_ns) &&
               ranges_valid(event->sent.retransmits, event->sent.retransmit_count);
    case FF_EVENT_ACK:
        return ack_valid(&event->ack, event->t_ns);
    case FF_EVENT_LOST:
        return runs_valid(event->lost.packets, event->lost.run_count, event->lost.bytes, event->t_ns) &&
               event->lost.next_packet <= FF_PACKET_MAX + 1;
    case FF_EVENT_CE:
        return event->ce.packet <= FF_PACKET_MAX && within(event->ce.sent_t_ns, 1, event->t_ns);
    case FF_EVENT_BACKLOG:
        return event->backlog.queued_bytes <= FF_WINDOW_MAX_BYTES &&
               event->backlog.receive_window_bytes <= FF_WINDOW_MAX_BYTES && rtt_valid(event->backlog.latest_rtt_ns);
    case FF_EVENT_PERSISTENT_CONGESTION:
    case FF_EVENT_PTO:
    case FF_EVENT_IDLE_RESTART:
    case FF_EVENT_PATH_CHANGE:
    case FF_EVENT_SPURIOUS_LOSS:
        return true;
    case FF_EVENT_SAVED_PATH:
        return saved_path_valid(&event->saved_path);
    }
    return false;
}

enum ff_status ff_event_check(const struct ff_event *event)
{
    return valid(event) ? FF_OK : FF_ERR_DOMAIN;
}
