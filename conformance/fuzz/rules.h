/*
 * "Refused events" of spec/events.md, written from that page independently of the port's check. Both must agree.
 */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include "firstflight/events.h"

#define FUZZ_TIME_MAX ((UINT64_C(1) << 59) - 1)
#define FUZZ_62_BITS ((UINT64_C(1) << 62) - 1)

static inline bool fuzz_is_rtt(uint64_t rtt_ns)
{
    return rtt_ns <= FUZZ_TIME_MAX || rtt_ns == UINT64_MAX;
}

static inline bool fuzz_are_runs(const struct ff_run *runs, size_t count, uint64_t bytes, uint64_t t_ns)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        if (runs[i].last < runs[i].first || runs[i].last > FUZZ_62_BITS || runs[i].last - runs[i].first >= 65535) {
            return false;
        }
        if (runs[i].size_bytes == 0 || runs[i].size_bytes > 65535 || runs[i].sent_t_ns == 0 || runs[i].sent_t_ns > t_ns) {
            return false;
        }
        if (i > 0 && runs[i].first <= runs[i - 1].last) {
            return false;
        }
        sum += (runs[i].last - runs[i].first + 1) * runs[i].size_bytes; /* a few runs below 2^32 bytes each */
    }
    return sum == bytes && sum > 0;
}

static inline bool fuzz_is_sent(const struct ff_sent *sent, uint64_t t_ns, uint64_t next_packet)
{
    for (size_t i = 0; i < sent->retransmit_count; i++) {
        const struct ff_range *range = &sent->retransmits[i];
        if (range->last < range->first || range->last > FUZZ_62_BITS || range->last - range->first >= 65535) {
            return false;
        }
    }
    return fuzz_are_runs(sent->packets, sent->run_count, sent->bytes, t_ns) && sent->packets[0].first >= next_packet;
}

/* Either all numbers of a delivery-rate sample are present or none. */
static inline bool fuzz_is_sample(const uint64_t *numbers, size_t count, bool app_limited)
{
    size_t there = 0;

    for (size_t i = 0; i < count; i++) {
        there += numbers[i] != UINT64_MAX;
        if (numbers[i] != UINT64_MAX && numbers[i] > FUZZ_62_BITS) {
            return false;
        }
    }
    return there == count || (there == 0 && !app_limited);
}

static inline bool fuzz_is_ack(const struct ff_ack *ack, uint64_t t_ns)
{
    bool oldest = ack->oldest_unacked_packet == UINT64_MAX || ack->oldest_unacked_packet <= FUZZ_62_BITS + 1;
    const uint64_t sample[] = {ack->rate_delivered_bytes, ack->rate_interval_ns, ack->rate_prior_delivered_bytes,
                               ack->rate_in_flight_bytes, ack->rate_lost_bytes};

    return oldest && fuzz_is_rtt(ack->rate_interval_ns) && fuzz_is_sample(sample, 5, ack->rate_app_limited) && ack->next_packet <= FUZZ_62_BITS + 1 && fuzz_is_rtt(ack->latest_rtt_ns) && fuzz_is_rtt(ack->min_rtt_ns) &&
           fuzz_is_rtt(ack->smoothed_rtt_ns) && fuzz_are_runs(ack->packets, ack->run_count, ack->bytes, t_ns);
}

static inline bool fuzz_is_lost(const struct ff_lost *lost, uint64_t t_ns)
{
    const uint64_t sample[] = {lost->rate_in_flight_bytes, lost->rate_lost_bytes};

    return fuzz_is_sample(sample, 2, lost->rate_app_limited) && lost->next_packet <= FUZZ_62_BITS + 1 &&
           fuzz_are_runs(lost->packets, lost->run_count, lost->bytes, t_ns);
}

static inline bool fuzz_is_saved_path(const struct ff_saved_path *saved)
{
    uint64_t numerator = saved->beta_numerator, denominator = saved->beta_denominator;

    return saved->saved_cwnd_bytes <= FUZZ_62_BITS && saved->saved_rtt_ns <= FUZZ_TIME_MAX &&
           (saved->expires_t_ns <= FUZZ_TIME_MAX || saved->expires_t_ns == UINT64_MAX) && saved->max_jump_bytes > 0 &&
           (saved->max_jump_bytes <= FUZZ_62_BITS || saved->max_jump_bytes == UINT64_MAX) && denominator > 0 &&
           denominator <= 65535 && numerator <= denominator && 2 * numerator >= denominator;
}

/* Return whether an event is valid, given the smallest valid time and packet number. */
static inline bool fuzz_keeps_rules(const struct ff_event *event, uint64_t t_ns, uint64_t next_packet)
{
    if (event->t_ns == 0 || event->t_ns > FUZZ_TIME_MAX || event->t_ns < t_ns) {
        return false;
    }
    switch ((int)event->kind) {
    case FF_EVENT_SENT:
        return fuzz_is_sent(&event->sent, event->t_ns, next_packet);
    case FF_EVENT_ACK:
        return fuzz_is_ack(&event->ack, event->t_ns);
    case FF_EVENT_LOST:
        return fuzz_is_lost(&event->lost, event->t_ns);
    case FF_EVENT_CE:
        return event->ce.packet <= FUZZ_62_BITS && event->ce.sent_t_ns > 0 && event->ce.sent_t_ns <= event->t_ns;
    case FF_EVENT_BACKLOG:
        return event->backlog.queued_bytes <= FUZZ_62_BITS && event->backlog.receive_window_bytes <= FUZZ_62_BITS &&
               fuzz_is_rtt(event->backlog.latest_rtt_ns);
    case FF_EVENT_DATAGRAM_SIZE:
        return event->datagram_size.max_datagram_size_bytes >= 1 && event->datagram_size.max_datagram_size_bytes <= 65535;
    case FF_EVENT_SAVED_PATH:
        return fuzz_is_saved_path(&event->saved_path);
    default:
        return event->kind <= FF_EVENT_SPURIOUS_LOSS;
    }
}

#endif
