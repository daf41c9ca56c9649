/* The event alphabet: its domain. Mirrors reference-py/src/firstflight/events.py. */
#include "firstflight/events.h"

#include "firstflight/domain.h"

static bool within(uint64_t value, uint64_t low, uint64_t high)
{
    return low <= value && value <= high;
}

/* Return whether runs are in the domain, rise, and add up to the bytes of their event. */
static bool runs_valid(const struct ff_run *runs, size_t run_count, uint64_t bytes, uint64_t t_ns)
{
    uint64_t left_bytes = bytes;
    uint64_t next_packet = 0;

    for (const struct ff_run *run = runs; run < runs + run_count; run++) {
        if (run->first < next_packet || !ff_run_valid(run, t_ns) || ff_run_bytes(run) > left_bytes) {
            return false;
        }
        left_bytes -= ff_run_bytes(run);
        next_packet = run->last + 1;
    }
    return left_bytes == 0 && ff_positive_within(bytes, FF_EVENT_MAX_BYTES);
}

static bool ranges_valid(const struct ff_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!ff_range_valid(ranges[i].first, ranges[i].last)) {
            return false;
        }
    }
    return true;
}

static bool saved_path_valid(const struct ff_saved_path *saved)
{
    return saved->saved_cwnd_bytes <= FF_WINDOW_MAX_BYTES && saved->saved_rtt_ns <= FF_TIME_MAX_NS &&
           ff_within_or_none(saved->expires_t_ns, FF_TIME_MAX_NS) &&
           saved->max_jump_bytes > 0 && ff_within_or_none(saved->max_jump_bytes, FF_WINDOW_MAX_BYTES) &&
           ff_positive_within(saved->beta_denominator, FF_BETA_MAX) &&
           within(saved->beta_numerator, (saved->beta_denominator + 1) / 2, saved->beta_denominator);
}

static bool valid(const struct ff_event *event)
{
    if (!ff_positive_within(event->t_ns, FF_TIME_MAX_NS)) {
        return false;
    }
    switch (event->kind) {
    case FF_EVENT_SENT:
        return runs_valid(event->sent.packets, event->sent.run_count, event->sent.bytes, event->t_ns) &&
               ranges_valid(event->sent.retransmits, event->sent.retransmit_count);
    case FF_EVENT_ACK:
        return ff_ack_numbers_valid(&event->ack) &&
               runs_valid(event->ack.packets, event->ack.run_count, event->ack.bytes, event->t_ns);
    case FF_EVENT_LOST:
        return runs_valid(event->lost.packets, event->lost.run_count, event->lost.bytes, event->t_ns) &&
               event->lost.next_packet <= FF_PACKET_MAX + 1;
    case FF_EVENT_CE:
        return event->ce.packet <= FF_PACKET_MAX && ff_positive_within(event->ce.sent_t_ns, event->t_ns);
    case FF_EVENT_BACKLOG:
        return event->backlog.queued_bytes <= FF_WINDOW_MAX_BYTES &&
               event->backlog.receive_window_bytes <= FF_WINDOW_MAX_BYTES && ff_within_or_none(event->backlog.latest_rtt_ns, FF_TIME_MAX_NS);
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
