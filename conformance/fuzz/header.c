/*
 * libFuzzer: a plain header, behind its driver, beside the port in the profile of its text, on streams that keep the rules and follow from
 * their own history. Windows, thresholds, phases and times of release must be the same, and the invariant of the header must hold.
 * FUZZ_ALGORITHM and FUZZ_PROFILE name the profile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../reference-c/plain/drive/drive.h"
#include "events.h"
#include "firstflight/controller.h"
#include "ledger.h"
#include "rules.h"

static void copy_runs(struct drive_event *out, const struct ff_run *runs, size_t count)
{
    out->run_count = count;
    for (size_t i = 0; i < count; i++) {
        out->runs[i] = (struct drive_run){runs[i].first, runs[i].last, runs[i].size_bytes, runs[i].sent_t_ns};
    }
}

static void copy_sent(struct drive_event *out, const struct ff_sent *sent)
{
    copy_runs(out, sent->packets, sent->run_count);
    out->bytes = sent->bytes;
    out->bytes_in_flight = sent->bytes_in_flight;
    out->app_limited = sent->app_limited;
    out->retransmit_count = sent->retransmit_count;
    for (size_t i = 0; i < sent->retransmit_count; i++) {
        out->retransmits[i] = (struct drive_run){sent->retransmits[i].first, sent->retransmits[i].last, 0, 0};
    }
}

static void copy_ack(struct drive_event *out, const struct ff_ack *ack)
{
    copy_runs(out, ack->packets, ack->run_count);
    out->bytes = ack->bytes;
    out->bytes_in_flight = ack->bytes_in_flight;
    out->app_limited = ack->app_limited;
    out->next_packet = ack->next_packet;
    out->latest_rtt_ns = ack->latest_rtt_ns;
    out->min_rtt_ns = ack->min_rtt_ns;
    out->smoothed_rtt_ns = ack->smoothed_rtt_ns;
    out->oldest_unacked_packet = ack->oldest_unacked_packet;
}

static void copy_saved_path(struct drive_event *out, const struct ff_saved_path *saved)
{
    out->saved_cwnd_bytes = saved->saved_cwnd_bytes;
    out->saved_rtt_ns = saved->saved_rtt_ns;
    out->endpoint_matches = saved->endpoint_matches;
    out->in_use = saved->in_use;
    out->expires_t_ns = saved->expires_t_ns;
    out->max_jump_bytes = saved->max_jump_bytes;
    out->beta_numerator = saved->beta_numerator;
    out->beta_denominator = saved->beta_denominator;
}

/* The runs of earlier events stay behind those that count. */
static void copy(struct drive_event *out, const struct ff_event *event)
{
    memset(out, 0, offsetof(struct drive_event, runs));
    out->kind = (enum drive_kind)event->kind;
    out->t_ns = event->t_ns;
    switch (event->kind) {
    case FF_EVENT_SENT:
        copy_sent(out, &event->sent);
        break;
    case FF_EVENT_ACK:
        copy_ack(out, &event->ack);
        break;
    case FF_EVENT_LOST:
        copy_runs(out, event->lost.packets, event->lost.run_count);
        out->bytes = event->lost.bytes;
        out->bytes_in_flight = event->lost.bytes_in_flight;
        out->next_packet = event->lost.next_packet;
        break;
    case FF_EVENT_CE:
        out->packet = event->ce.packet;
        out->sent_t_ns = event->ce.sent_t_ns;
        break;
    case FF_EVENT_BACKLOG:
        out->queued_bytes = event->backlog.queued_bytes;
        out->receive_window_bytes = event->backlog.receive_window_bytes;
        out->latest_rtt_ns = event->backlog.latest_rtt_ns;
        break;
    case FF_EVENT_SAVED_PATH:
        copy_saved_path(out, &event->saved_path);
        break;
    default:
        break;
    }
}

static void compare(const struct ff_event *event, const struct ff_observation *seen, const struct drive_answer *answer)
{
    bool paces = seen->next_release_ns == answer->next_release_ns;

    if (seen->cwnd_bytes == answer->cwnd_bytes && seen->ssthresh_bytes == answer->ssthresh_bytes &&
        strcmp(ff_phase_name(seen->phase), answer->phase) == 0 && paces) {
        return;
    }
    fprintf(stderr, "event of kind %d at %llu: the port (%s) %llu %llu %s %llu, the header (%s %d) %llu %llu %s %llu\n",
            (int)event->kind, (unsigned long long)event->t_ns, ff_outcome_name(seen->outcome), (unsigned long long)seen->cwnd_bytes,
            (unsigned long long)seen->ssthresh_bytes, ff_phase_name(seen->phase), (unsigned long long)seen->next_release_ns,
            answer->header, answer->outcome, (unsigned long long)answer->cwnd_bytes, (unsigned long long)answer->ssthresh_bytes,
            answer->phase, (unsigned long long)answer->next_release_ns);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ff_controller controller;
    static struct fuzz_ledger ledger;
    static struct drive_event translated;
    struct fuzz_stream stream;
    struct ff_event event;
    struct ff_observation seen;

    fuzz_begin(&stream, data, size);
    fuzz_byte(&stream); /* of the profile, for whole controllers */
    stream.mss = fuzz_number(&stream, 1200);
    const struct ff_config config = {stream.mss, fuzz_number(&stream, 0)};
    if (ff_controller_init(&controller, FUZZ_ALGORITHM, FUZZ_PROFILE, &config) != FF_OK) {
        return 0;
    }
    drive_begin((uint32_t)config.max_datagram_size_bytes, config.initial_window_bytes);
    fuzz_ledger_begin(&ledger);
    while (fuzz_event(&stream, &event)) {
        if (!fuzz_keeps_rules(&event, controller.t_ns, controller.next_packet) || !fuzz_follows(&ledger, &event) ||
            ff_controller_step(&controller, &event, &seen) != FF_OK) {
            break;
        }
        copy(&translated, &event);
        struct drive_answer answer = drive_on_event(&translated);
        if (!drive_holds(&translated)) {
            fprintf(stderr, "the invariant does not hold\n");
            abort();
        }
        compare(&event, &seen, &answer);
    }
    return 0;
}
