/* The event alphabet: its domain. Mirrors reference-py/src/firstflight/events.py. */
#include "firstflight/events.h"

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return low <= value && value <= high;
}

/* Return whether a value is in 1..high: 0 wraps. */
static bool positive_within(uint64_t value, uint64_t high)
{
    return value - 1 < high;
}

/* Return whether a value is in 0..high or UINT64_MAX, which stands for none and wraps to 0. */
static bool within_or_none(uint64_t value, uint64_t high)
{
    return value + 1 <= high + 1;
}

/* Return whether a run is in the domain and begins at next_packet or after it. */
static bool run_valid(const struct ff_run *run, uint64_t next_packet, uint64_t t_ns)
{
    /* The count is tested as a difference: first = 0, last = 2^64 - 1 would wrap. */
    return next_packet <= run->first && positive_within(run->sent_t_ns, t_ns) && run->first <= run->last &&
           run->last - run->first < FF_RUN_MAX_PACKETS && run->last <= FF_PACKET_MAX &&
           positive_within(run->size_bytes, FF_DATAGRAM_MAX_BYTES);
}

static bool runs_valid(const struct ff_run *runs, size_t run_count, uint64_t total_bytes, uint64_t t_ns)
{
    uint64_t left_bytes = total_bytes;
    uint64_t next_packet = 0;

    for (const struct ff_run *run = runs; run < runs + run_count; run++) {
        if (!run_valid(run, next_packet, t_ns)) {
            return false;
        }
        uint64_t run_bytes = ff_run_count(run) * run->size_bytes; /* at most 65535 * 65535 < 2^32 */
        if (run_bytes > left_bytes) {
            return false;
        }
        left_bytes -= run_bytes;
        next_packet = run->last + 1;
    }
    return left_bytes == 0 && positive_within(total_bytes, FF_EVENT_MAX_BYTES);
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
    return within_or_none(ack->latest_rtt_ns, FF_TIME_MAX_NS) && within_or_none(ack->min_rtt_ns, FF_TIME_MAX_NS) &&
           within_or_none(ack->smoothed_rtt_ns, FF_TIME_MAX_NS) && ack->next_packet <= FF_PACKET_MAX + 1 &&
           within_or_none(ack->oldest_unacked_packet, FF_PACKET_MAX + 1) &&
           runs_valid(ack->packets, ack->run_count, ack->bytes, t_ns);
}

static bool saved_path_valid(const struct ff_saved_path *saved)
{
    return saved->saved_cwnd_bytes <= FF_WINDOW_MAX_BYTES && saved->saved_rtt_ns <= FF_TIME_MAX_NS &&
           within_or_none(saved->expires_t_ns, FF_TIME_MAX_NS) &&
           saved->max_jump_bytes > 0 && within_or_none(saved->max_jump_bytes, FF_WINDOW_MAX_BYTES) &&
           positive_within(saved->beta_denominator, FF_BETA_MAX) &&
           within(saved->beta_numerator, (saved->beta_denominator + 1) / 2, saved->beta_denominator);
}

static bool valid(const struct ff_event *event)
{
    if (!positive_within(event->t_ns, FF_TIME_MAX_NS)) {
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
        return event->ce.packet <= FF_PACKET_MAX && positive_within(event->ce.sent_t_ns, event->t_ns);
    case FF_EVENT_BACKLOG:
        return event->backlog.queued_bytes <= FF_WINDOW_MAX_BYTES &&
               event->backlog.receive_window_bytes <= FF_WINDOW_MAX_BYTES && within_or_none(event->backlog.latest_rtt_ns, FF_TIME_MAX_NS);
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
