/* Puts the C port of Firstflight behind the functions of firstflight_adapter.h. */
#include <stdio.h>
#include <stdlib.h>

#include "firstflight/controller.h"
#include "firstflight/version.h"
#include "firstflight_adapter.h"

struct adapter {
    struct ff_controller controller;
    struct ff_run *runs; /* of the event at hand */
    size_t run_capacity;
    struct ff_range *ranges;
    size_t range_capacity;
};

/* The hello answer while it is written; half an answer would be worse than none. */
struct text {
    char bytes[8192];
    size_t used;
};

static void append(struct text *text, const char *before, const char *part, const char *after)
{
    size_t room = sizeof text->bytes - text->used;
    int length = snprintf(text->bytes + text->used, room, "%s%s%s", before, part, after);

    if (length < 0 || (size_t)length >= room) {
        abort();
    }
    text->used += (size_t)length;
}

/* The member of `algorithms` for one algorithm: its profiles, and if there is a suffix those with it. */
#define APPEND_PROFILES(text, algorithm, profiles, suffix)                                                             \
    do {                                                                                                               \
        append(text, "\"", algorithm, "\":[");                                                                         \
        for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles)[0]; i++) {                                          \
            append(text, i == 0 ? "\"" : ",\"", (profiles)[i].name, "\"");                                             \
            if ((suffix)[0] != '\0') {                                                                                 \
                append(text, ",\"", (profiles)[i].name, suffix "\"");                                                  \
            }                                                                                                          \
        }                                                                                                              \
        append(text, "],", "", "");                                                                                    \
    } while (0)

const char *firstflight_adapter_hello(void)
{
    static struct text text;

    text.used = 0;
    append(&text, "{\"op\":\"hello\",\"protocol\":1,\"name\":\"firstflight-c\",\"version\":\"", FF_VERSION_STRING "\",",
           "\"algorithms\":{");
    APPEND_PROFILES(&text, "slow-start", ff_newreno_profiles, "");
    APPEND_PROFILES(&text, "cubic", ff_cubic_profiles, "");
    APPEND_PROFILES(&text, "search", ff_search_profiles, FF_SUFFIX_CUBIC);
    APPEND_PROFILES(&text, "jumpstart", ff_jumpstart_profiles, FF_SUFFIX_CUBIC);
    APPEND_PROFILES(&text, "careful-resume", ff_careful_resume_profiles, FF_SUFFIX_CUBIC);
    APPEND_PROFILES(&text, "hystartpp", ff_hystartpp_profiles, FF_SUFFIX_CUBIC);
    APPEND_PROFILES(&text, "hystart", ff_hystart_profiles, FF_SUFFIX_CUBIC);
    append(&text, "\"transfer-time\":[\"slow-start\",\"quick-start\",\"jump-start\",\"more-start\",", "",
           "\"initial-start\",\"quick-start-rate\"");
    append(&text, "]},\"observables\":[\"cwnd_bytes\",\"ssthresh_bytes\",\"phase\",\"outcome\",", "",
           "\"next_release_ns\",\"trigger\",\"state\"]}");
    return text.bytes;
}

void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason)
{
    const struct ff_config config = {start->max_datagram_size_bytes, start->initial_window_bytes};
    struct adapter *self = calloc(1, sizeof *self);

    if (self == NULL) {
        *unsupported_reason = "out of memory";
        return NULL;
    }
    switch (ff_controller_init(&self->controller, start->algorithm, start->profile, &config)) {
    case FF_OK:
        return self;
    case FF_ERR_UNKNOWN_PROFILE:
        *unsupported_reason = "no such algorithm or profile";
        break;
    case FF_ERR_DOMAIN:
        *unsupported_reason = "configuration out of range";
        break;
    }
    free(self);
    return NULL;
}

static int copy_runs(struct adapter *self, const struct firstflight_event *event)
{
    size_t count = (size_t)event->run_count;

    if (count > self->run_capacity) {
        if (count > SIZE_MAX / sizeof *self->runs) {
            return 0;
        }
        struct ff_run *runs = realloc(self->runs, count * sizeof *runs);
        if (runs == NULL) {
            return 0;
        }
        self->runs = runs;
        self->run_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct firstflight_run *run = &event->packets[i];
        self->runs[i] = (struct ff_run){run->first, run->last, run->size_bytes, run->sent_t_ns};
    }
    return 1;
}

static int copy_ranges(struct adapter *self, const struct firstflight_event *event)
{
    size_t count = (size_t)event->retransmit_count;

    if (count > self->range_capacity) {
        if (count > SIZE_MAX / sizeof *self->ranges) {
            return 0;
        }
        struct ff_range *ranges = realloc(self->ranges, count * sizeof *ranges);
        if (ranges == NULL) {
            return 0;
        }
        self->ranges = ranges;
        self->range_capacity = count;
    }
    for (size_t i = 0; i < count; i++) {
        self->ranges[i] = (struct ff_range){event->retransmits[i].first, event->retransmits[i].last};
    }
    return 1;
}

/* Translate the event. Return 0 for a kind that the port does not know. */
static int translate(const struct adapter *self, const struct firstflight_event *event, struct ff_event *out)
{
    const struct ff_run *runs = self->runs;
    size_t count = (size_t)event->run_count;

    *out = (struct ff_event){.t_ns = event->t_ns};
    switch (event->kind) {
    case FIRSTFLIGHT_EVENT_SENT:
        out->kind = FF_EVENT_SENT;
        out->sent = (struct ff_sent){.packets = runs,
                                     .run_count = count,
                                     .bytes = event->bytes,
                                     .bytes_in_flight = event->bytes_in_flight,
                                     .app_limited = event->app_limited != 0,
                                     .retransmits = self->ranges,
                                     .retransmit_count = (size_t)event->retransmit_count};
        return 1;
    case FIRSTFLIGHT_EVENT_ACK:
        out->kind = FF_EVENT_ACK;
        out->ack = (struct ff_ack){.packets = runs,
                                   .run_count = count,
                                   .bytes = event->bytes,
                                   .bytes_in_flight = event->bytes_in_flight,
                                   .next_packet = event->next_packet,
                                   .app_limited = event->app_limited != 0,
                                   .latest_rtt_ns = event->latest_rtt_ns,
                                   .min_rtt_ns = event->min_rtt_ns,
                                   .smoothed_rtt_ns = event->smoothed_rtt_ns,
                                   .ack_delay_ns = event->ack_delay_ns,
                                   .oldest_unacked_packet = event->oldest_unacked_packet};
        return 1;
    case FIRSTFLIGHT_EVENT_LOST:
        out->kind = FF_EVENT_LOST;
        out->lost = (struct ff_lost){runs, count, event->bytes, event->bytes_in_flight, event->next_packet};
        return 1;
    case FIRSTFLIGHT_EVENT_CE:
        out->kind = FF_EVENT_CE;
        out->ce = (struct ff_ce){event->packet, event->sent_t_ns, event->ce_count};
        return 1;
    case FIRSTFLIGHT_EVENT_PERSISTENT_CONGESTION:
        out->kind = FF_EVENT_PERSISTENT_CONGESTION;
        return 1;
    case FIRSTFLIGHT_EVENT_PTO:
        out->kind = FF_EVENT_PTO;
        return 1;
    case FIRSTFLIGHT_EVENT_BACKLOG:
        out->kind = FF_EVENT_BACKLOG;
        out->backlog = (struct ff_backlog){event->queued_bytes, event->receive_window_bytes, event->latest_rtt_ns};
        return 1;
    case FIRSTFLIGHT_EVENT_IDLE_RESTART:
        out->kind = FF_EVENT_IDLE_RESTART;
        return 1;
    case FIRSTFLIGHT_EVENT_SAVED_PATH:
        out->kind = FF_EVENT_SAVED_PATH;
        out->saved_path = (struct ff_saved_path){event->saved_cwnd_bytes,   event->saved_rtt_ns,   event->endpoint_matches != 0,
                                                 event->in_use != 0,        event->expires_t_ns,   event->max_jump_bytes,
                                                 event->beta_numerator,     event->beta_denominator};
        return 1;
    case FIRSTFLIGHT_EVENT_PATH_CHANGE:
        out->kind = FF_EVENT_PATH_CHANGE;
        return 1;
    case FIRSTFLIGHT_EVENT_SPURIOUS_LOSS:
        out->kind = FF_EVENT_SPURIOUS_LOSS;
        return 1;
    default:
        return 0;
    }
}

static void report(struct firstflight_observed *observed, const char *name, uint64_t value)
{
    observed->state[observed->state_count++] = (struct firstflight_state_number){name, value, value == FF_NONE};
}

int firstflight_adapter_event(void *self, const struct firstflight_event *event, struct firstflight_observed *observed)
{
    struct adapter *adapter = self;
    struct ff_event translated;
    struct ff_observation seen;

    if (!copy_runs(adapter, event) || !copy_ranges(adapter, event)) {
        return FIRSTFLIGHT_FAULT;
    }
    if (!translate(adapter, event, &translated)) {
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    if (ff_controller_step(&adapter->controller, &translated, &seen) != FF_OK) {
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    observed->cwnd_bytes = seen.cwnd_bytes;
    observed->ssthresh_bytes = seen.ssthresh_bytes;
    observed->has_ssthresh = 1;
    observed->phase = ff_phase_name(seen.phase);
    observed->outcome = ff_outcome_name(seen.outcome);
    observed->state_count = 0;
    switch (adapter->controller.algorithm) {
    case FF_ALGORITHM_SLOW_START:
        report(observed, "recovery_start_ns", seen.recovery_start_ns);
        break;
    case FF_ALGORITHM_CUBIC:
        report(observed, "recovery_start_ns", seen.recovery_start_ns);
        report(observed, "w_max_bytes", seen.w_max_bytes);
        report(observed, "cwnd_prior_bytes", seen.cwnd_prior_bytes);
        report(observed, "epoch_start_ns", seen.epoch_start_ns);
        report(observed, "k_ns", seen.k_ns);
        report(observed, "w_est_bytes", seen.w_est_bytes);
        break;
    case FF_ALGORITHM_SEARCH:
        report(observed, "bin", seen.bin);
        report(observed, "open_bin_bytes", seen.open_bin_bytes);
        report(observed, "shift_bins", seen.shift_bins);
        report(observed, "current_bytes", seen.current_bytes);
        report(observed, "previous_bytes", seen.previous_bytes);
        report(observed, "target_bytes", seen.target_bytes);
        break;
    case FF_ALGORITHM_JUMPSTART:
        observed->next_release_ns = seen.next_release_ns;
        observed->has_next_release = 1;
        report(observed, "planned_packets", seen.planned_packets);
        report(observed, "sent_packets", seen.sent_packets);
        report(observed, "repeated_packets", seen.repeated_packets);
        report(observed, "acked_bytes", seen.acked_bytes);
        report(observed, "recovery_start_ns", seen.recovery_start_ns);
        break;
    case FF_ALGORITHM_CAREFUL_RESUME:
        observed->next_release_ns = seen.next_release_ns;
        observed->has_next_release = 1;
        observed->trigger = ff_trigger_name(seen.trigger);
        observed->has_trigger = 1;
        report(observed, "pipesize_bytes", seen.pipesize_bytes);
        report(observed, "first_unvalidated_packet", seen.first_unvalidated_packet);
        report(observed, "last_unvalidated_packet", seen.last_unvalidated_packet);
        report(observed, "jump_bytes", seen.jump_bytes);
        report(observed, "saved_cwnd_bytes", seen.saved_cwnd_bytes);
        report(observed, "saved_rtt_ns", seen.saved_rtt_ns);
        report(observed, "saved_in_use", seen.saved_in_use);
        report(observed, "bin", seen.bin);
        report(observed, "open_bin_bytes", seen.open_bin_bytes);
        break;
    case FF_ALGORITHM_HYSTARTPP:
        report(observed, "round_end_packet", seen.round_end_packet);
        report(observed, "rtt_samples", seen.rtt_samples);
        report(observed, "current_min_rtt_ns", seen.current_min_rtt_ns);
        report(observed, "last_min_rtt_ns", seen.last_min_rtt_ns);
        report(observed, "baseline_rtt_ns", seen.baseline_rtt_ns);
        report(observed, "css_rounds", seen.css_rounds);
        break;
    case FF_ALGORITHM_HYSTART:
        report(observed, "round_end_packet", seen.round_end_packet);
        report(observed, "rtt_samples", seen.rtt_samples);
        report(observed, "current_min_rtt_ns", seen.current_min_rtt_ns);
        report(observed, "min_rtt_ns", seen.min_rtt_ns);
        report(observed, "round_start_ns", seen.round_start_ns);
        report(observed, "train_ns", seen.train_ns);
        break;
    }
    return FIRSTFLIGHT_OBSERVED;
}

void firstflight_adapter_end(void *self)
{
    struct adapter *adapter = self;

    if (adapter != NULL) {
        free(adapter->runs);
        free(adapter->ranges);
        free(adapter);
    }
}
