/* JSON lines of spec/adapter-protocol.md for an adapter with the functions of firstflight_adapter.h. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "firstflight_adapter.h"
#include "json_lines.h"

/* Optional: adapters without computations omit it, and its address is then NULL. */
int firstflight_adapter_compute(const struct firstflight_computation *computation, struct firstflight_computed *computed)
    __attribute__((weak));

/* Output of the answers. A program that loads a library uses another file: the library may print to standard output. */
#ifdef FIRSTFLIGHT_ANSWERS
extern FILE *FIRSTFLIGHT_ANSWERS;
#else
#define FIRSTFLIGHT_ANSWERS stdout
#endif

#define INPUTS_MAX 32

struct host {
    struct json_doc doc;
    void *self; /* state of the current case, or NULL */
    struct firstflight_run *runs;
    size_t run_capacity;
    struct firstflight_range *ranges;
    size_t range_capacity;
    unsigned long line;
};

/* Invalid messages are not answered: report the error and exit. */
static _Noreturn void die(const struct host *host, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "line %lu: ", host->line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static size_t member(const struct host *host, size_t object, const char *name)
{
    size_t value;

    if (!json_member(&host->doc, object, name, &value)) {
        die(host, "%s: missing", name);
    }
    return value;
}

static bool is_null(const struct host *host, size_t node)
{
    return host->doc.nodes[node].kind == JSON_NULL;
}

static const char *text_member(const struct host *host, size_t object, const char *name)
{
    size_t value = member(host, object, name);

    if (host->doc.nodes[value].kind != JSON_STRING) {
        die(host, "%s: is no string", name);
    }
    return host->doc.nodes[value].text;
}

static uint64_t number(const struct host *host, size_t node, const char *name)
{
    uint64_t value;

    if (!json_u64(&host->doc, node, &value)) {
        die(host, "%s: is no number up to 2^53 - 1 and no larger 64-bit one as a decimal string", name);
    }
    return value;
}

static uint64_t number_member(const struct host *host, size_t object, const char *name)
{
    return number(host, member(host, object, name), name);
}

static uint64_t number_or_null(const struct host *host, size_t object, const char *name, uint64_t missing)
{
    size_t value = member(host, object, name);

    return is_null(host, value) ? missing : number(host, value, name);
}

static uint64_t number_if_there(const struct host *host, size_t object, const char *name, uint64_t missing)
{
    size_t value;

    return json_member(&host->doc, object, name, &value) ? number(host, value, name) : missing;
}

static uint32_t bool_member(const struct host *host, size_t object, const char *name)
{
    bool value;

    if (!json_bool(&host->doc, member(host, object, name), &value)) {
        die(host, "%s: is neither true nor false", name);
    }
    return value;
}

static uint32_t bool_if_there(const struct host *host, size_t object, const char *name)
{
    size_t value;

    return json_member(&host->doc, object, name, &value) && bool_member(host, object, name);
}

static void read_runs(struct host *host, size_t object, struct firstflight_event *event)
{
    const struct json_node *nodes = host->doc.nodes;
    size_t list = member(host, object, "packets");
    size_t numbers = event->kind == FIRSTFLIGHT_EVENT_SENT ? 3 : 4;
    size_t count = nodes[list].children;

    if (nodes[list].kind != JSON_ARRAY) {
        die(host, "packets: is no list");
    }
    if (count > host->run_capacity) {
        struct firstflight_run *runs = realloc(host->runs, count * sizeof *runs);
        if (runs == NULL) {
            die(host, "out of memory");
        }
        host->runs = runs;
        host->run_capacity = count;
    }
    size_t at = list + 1;
    for (size_t i = 0; i < count; i++) {
        if (nodes[at].kind != JSON_ARRAY || nodes[at].children != numbers) {
            die(host, "packets: run %zu is no list of %zu numbers", i, numbers);
        }
        uint64_t values[4] = {0, 0, 0, event->t_ns};
        for (size_t j = 0; j < numbers; j++) {
            size_t value = at + 1 + j;
            if (nodes[value].kind != JSON_NUMBER && nodes[value].kind != JSON_STRING) {
                die(host, "packets: run %zu holds something else than numbers", i);
            }
            values[j] = number(host, value, "packets");
        }
        host->runs[i] = (struct firstflight_run){values[0], values[1], values[2], values[3]};
        at = nodes[at].next;
    }
    event->packets = host->runs;
    event->run_count = count;
}

/* Read a list of ranges that may be absent; return where they are. */
static const struct firstflight_range *read_ranges(struct host *host, size_t object, const char *name, uint64_t *range_count)
{
    const struct json_node *nodes = host->doc.nodes;
    size_t list;

    if (!json_member(&host->doc, object, name, &list)) {
        return NULL;
    }
    size_t count = nodes[list].children;
    if (nodes[list].kind != JSON_ARRAY) {
        die(host, "%s: is no list", name);
    }
    if (count > host->range_capacity) {
        struct firstflight_range *ranges = realloc(host->ranges, count * sizeof *ranges);
        if (ranges == NULL) {
            die(host, "out of memory");
        }
        host->ranges = ranges;
        host->range_capacity = count;
    }
    size_t at = list + 1;
    for (size_t i = 0; i < count; i++) {
        if (nodes[at].kind != JSON_ARRAY || nodes[at].children != 2 || nodes[at].next != at + 3) {
            die(host, "%s: range %zu is no pair of numbers", name, i);
        }
        host->ranges[i] = (struct firstflight_range){number(host, at + 1, name), number(host, at + 2, name)};
        at = nodes[at].next;
    }
    *range_count = count;
    return host->ranges;
}

static uint32_t read_kind(const char *name)
{
    static const char *const names[] = {
        /* --- kinds: generated by `make generate`, do not edit --- */
        "sent", "ack", "lost", "ce", "persistent_congestion", "pto", "backlog", "idle_restart", "saved_path",
        "path_change", "spurious_loss", "datagram_size"
        /* --- end --- */
    };
    uint32_t count = sizeof names / sizeof names[0];

    for (uint32_t kind = 0; kind < count; kind++) {
        if (strcmp(name, names[kind]) == 0) {
            return kind;
        }
    }
    return count;
}

static void read_event(struct host *host, size_t object, struct firstflight_event *event)
{
    *event = (struct firstflight_event){
        .kind = read_kind(text_member(host, object, "ev")),
        /* --- absent members: generated by `make generate`, do not edit --- */
        .latest_rtt_ns = FIRSTFLIGHT_NONE,
        .min_rtt_ns = FIRSTFLIGHT_NONE,
        .smoothed_rtt_ns = FIRSTFLIGHT_NONE,
        .oldest_unacked_packet = FIRSTFLIGHT_NONE,
        .rate_delivered_bytes = FIRSTFLIGHT_NONE,
        .rate_interval_ns = FIRSTFLIGHT_NONE,
        .rate_prior_delivered_bytes = FIRSTFLIGHT_NONE,
        .rate_in_flight_bytes = FIRSTFLIGHT_NONE,
        .rate_lost_bytes = FIRSTFLIGHT_NONE,
        .expires_t_ns = FIRSTFLIGHT_NONE,
        .max_jump_bytes = FIRSTFLIGHT_NONE,
        /* --- end --- */
    };
    event->t_ns = number_member(host, object, "t_ns");
    switch (event->kind) {
    /* --- members: generated by `make generate`, do not edit --- */
    case FIRSTFLIGHT_EVENT_SENT:
        read_runs(host, object, event);
        event->bytes = number_member(host, object, "bytes");
        event->bytes_in_flight = number_member(host, object, "bytes_in_flight");
        event->app_limited = bool_member(host, object, "app_limited");
        event->retransmits = read_ranges(host, object, "retransmits", &event->retransmit_count);
        event->pmtu_probe = bool_if_there(host, object, "pmtu_probe");
        event->not_in_flight = bool_if_there(host, object, "not_in_flight");
        break;
    case FIRSTFLIGHT_EVENT_ACK:
        read_runs(host, object, event);
        event->bytes = number_member(host, object, "bytes");
        event->bytes_in_flight = number_member(host, object, "bytes_in_flight");
        event->next_packet = number_member(host, object, "next_packet");
        event->app_limited = bool_member(host, object, "app_limited");
        event->latest_rtt_ns = number_or_null(host, object, "latest_rtt_ns", FIRSTFLIGHT_NONE);
        event->min_rtt_ns = number_or_null(host, object, "min_rtt_ns", FIRSTFLIGHT_NONE);
        event->smoothed_rtt_ns = number_or_null(host, object, "smoothed_rtt_ns", FIRSTFLIGHT_NONE);
        event->ack_delay_ns = number_member(host, object, "ack_delay_ns");
        event->oldest_unacked_packet = number_if_there(host, object, "oldest_unacked_packet", FIRSTFLIGHT_NONE);
        event->rate_delivered_bytes = number_if_there(host, object, "rate_delivered_bytes", FIRSTFLIGHT_NONE);
        event->rate_interval_ns = number_if_there(host, object, "rate_interval_ns", FIRSTFLIGHT_NONE);
        event->rate_prior_delivered_bytes = number_if_there(host, object, "rate_prior_delivered_bytes", FIRSTFLIGHT_NONE);
        event->rate_app_limited = bool_if_there(host, object, "rate_app_limited");
        event->rate_in_flight_bytes = number_if_there(host, object, "rate_in_flight_bytes", FIRSTFLIGHT_NONE);
        event->rate_lost_bytes = number_if_there(host, object, "rate_lost_bytes", FIRSTFLIGHT_NONE);
        event->not_in_flight = bool_if_there(host, object, "not_in_flight");
        break;
    case FIRSTFLIGHT_EVENT_LOST:
        read_runs(host, object, event);
        event->bytes = number_member(host, object, "bytes");
        event->bytes_in_flight = number_member(host, object, "bytes_in_flight");
        event->next_packet = number_member(host, object, "next_packet");
        event->rate_in_flight_bytes = number_if_there(host, object, "rate_in_flight_bytes", FIRSTFLIGHT_NONE);
        event->rate_app_limited = bool_if_there(host, object, "rate_app_limited");
        event->rate_lost_bytes = number_if_there(host, object, "rate_lost_bytes", FIRSTFLIGHT_NONE);
        event->pmtu_probe = bool_if_there(host, object, "pmtu_probe");
        break;
    case FIRSTFLIGHT_EVENT_CE:
        event->packet = number_member(host, object, "packet");
        event->sent_t_ns = number_member(host, object, "sent_t_ns");
        event->ce_count = number_member(host, object, "ce_count");
        break;
    case FIRSTFLIGHT_EVENT_BACKLOG:
        event->queued_bytes = number_member(host, object, "queued_bytes");
        event->receive_window_bytes = number_member(host, object, "receive_window_bytes");
        event->latest_rtt_ns = number_or_null(host, object, "latest_rtt_ns", FIRSTFLIGHT_NONE);
        break;
    case FIRSTFLIGHT_EVENT_SAVED_PATH:
        event->saved_cwnd_bytes = number_member(host, object, "saved_cwnd_bytes");
        event->saved_rtt_ns = number_member(host, object, "saved_rtt_ns");
        event->endpoint_matches = bool_member(host, object, "endpoint_matches");
        event->in_use = bool_member(host, object, "in_use");
        event->expires_t_ns = number_or_null(host, object, "expires_t_ns", FIRSTFLIGHT_NONE);
        event->max_jump_bytes = number_or_null(host, object, "max_jump_bytes", FIRSTFLIGHT_NONE);
        event->beta_numerator = number_member(host, object, "beta_numerator");
        event->beta_denominator = number_member(host, object, "beta_denominator");
        break;
    case FIRSTFLIGHT_EVENT_DATAGRAM_SIZE:
        event->max_datagram_size_bytes = number_member(host, object, "max_datagram_size_bytes");
        event->handshake = bool_member(host, object, "handshake");
        break;
    /* --- end --- */
    default:
        break;
    }
}

static void say(const char *line)
{
    fputs(line, FIRSTFLIGHT_ANSWERS);
    fputc('\n', FIRSTFLIGHT_ANSWERS);
}

static void answer_unsupported(const char *reason)
{
    fputs("{\"op\":\"unsupported\",\"reason\":", FIRSTFLIGHT_ANSWERS);
    json_write_text(FIRSTFLIGHT_ANSWERS, reason != NULL ? reason : "unsupported");
    fputs("}\n", FIRSTFLIGHT_ANSWERS);
}

static void answer_observed(const struct host *host, uint64_t i, const struct firstflight_observed *observed)
{
    if (observed->state_count > FIRSTFLIGHT_STATE_MAX) {
        die(host, "the adapter reports more than %d numbers of state", FIRSTFLIGHT_STATE_MAX);
    }
    fputs("{\"op\":\"observed\",\"i\":", FIRSTFLIGHT_ANSWERS);
    json_write_u64(FIRSTFLIGHT_ANSWERS, i);
    fputs(",\"cwnd_bytes\":", FIRSTFLIGHT_ANSWERS);
    json_write_u64(FIRSTFLIGHT_ANSWERS, observed->cwnd_bytes);
    if (observed->has_ssthresh && observed->ssthresh_bytes == FIRSTFLIGHT_NONE) {
        fputs(",\"ssthresh_bytes\":null", FIRSTFLIGHT_ANSWERS);
    } else if (observed->has_ssthresh) {
        fputs(",\"ssthresh_bytes\":", FIRSTFLIGHT_ANSWERS);
        json_write_u64(FIRSTFLIGHT_ANSWERS, observed->ssthresh_bytes);
    }
    if (observed->phase != NULL) {
        fputs(",\"phase\":", FIRSTFLIGHT_ANSWERS);
        json_write_text(FIRSTFLIGHT_ANSWERS, observed->phase);
    }
    if (observed->outcome != NULL) {
        fputs(",\"outcome\":", FIRSTFLIGHT_ANSWERS);
        json_write_text(FIRSTFLIGHT_ANSWERS, observed->outcome);
    }
    if (observed->has_next_release && observed->next_release_ns == FIRSTFLIGHT_NONE) {
        fputs(",\"next_release_ns\":null", FIRSTFLIGHT_ANSWERS);
    } else if (observed->has_next_release) {
        fputs(",\"next_release_ns\":", FIRSTFLIGHT_ANSWERS);
        json_write_u64(FIRSTFLIGHT_ANSWERS, observed->next_release_ns);
    }
    if (observed->has_trigger && observed->trigger == NULL) {
        fputs(",\"trigger\":null", FIRSTFLIGHT_ANSWERS);
    } else if (observed->has_trigger) {
        fputs(",\"trigger\":", FIRSTFLIGHT_ANSWERS);
        json_write_text(FIRSTFLIGHT_ANSWERS, observed->trigger);
    }
    for (uint32_t n = 0; n < observed->state_count; n++) {
        fputs(n == 0 ? ",\"state\":{" : ",", FIRSTFLIGHT_ANSWERS);
        json_write_text(FIRSTFLIGHT_ANSWERS, observed->state[n].name);
        fputc(':', FIRSTFLIGHT_ANSWERS);
        if (observed->state[n].is_null) {
            fputs("null", FIRSTFLIGHT_ANSWERS);
        } else {
            json_write_u64(FIRSTFLIGHT_ANSWERS, observed->state[n].value);
        }
    }
    fputs(observed->state_count > 0 ? "}}\n" : "}\n", FIRSTFLIGHT_ANSWERS);
}

static void end_case(struct host *host)
{
    if (host->self != NULL) {
        firstflight_adapter_end(host->self);
        host->self = NULL;
    }
}

static void on_hello(const struct host *host)
{
    if (number_member(host, 0, "protocol") != FIRSTFLIGHT_ADAPTER_PROTOCOL) {
        die(host, "protocol: only version %d is spoken", FIRSTFLIGHT_ADAPTER_PROTOCOL);
    }
    say(firstflight_adapter_hello());
}

static void on_start(struct host *host)
{
    size_t config = member(host, 0, "config");
    struct firstflight_case start = {
        .id = text_member(host, 0, "case"),
        .algorithm = text_member(host, 0, "algorithm"),
        .profile = text_member(host, 0, "profile"),
        .max_datagram_size_bytes = number_member(host, config, "max_datagram_size_bytes"),
        .initial_window_bytes = number_or_null(host, config, "initial_window_bytes", 0),
    };
    const char *reason = NULL;

    if (start.initial_window_bytes == 0 && !is_null(host, member(host, config, "initial_window_bytes"))) {
        die(host, "initial_window_bytes: is 0");
    }
    end_case(host);
    host->self = firstflight_adapter_start(&start, &reason);
    if (host->self == NULL) {
        answer_unsupported(reason);
    } else {
        say("{\"op\":\"started\"}");
    }
}

static void on_event(struct host *host)
{
    uint64_t i = number_member(host, 0, "i");
    struct firstflight_event event;
    struct firstflight_observed observed = {0};

    if (host->self == NULL) {
        die(host, "an event outside a case");
    }
    read_event(host, member(host, 0, "event"), &event);
    switch (firstflight_adapter_event(host->self, &event, &observed)) {
    case FIRSTFLIGHT_OBSERVED:
        answer_observed(host, i, &observed);
        return;
    case FIRSTFLIGHT_UNSUPPORTED:
        answer_unsupported("unknown kind of event, or outside the domain of the implementation");
        return;
    default:
        die(host, "the adapter cannot go on");
    }
}

static void answer_computed(const struct host *host, const struct firstflight_computed *computed)
{
    if (computed->output_count > FIRSTFLIGHT_OUTPUTS_MAX) {
        die(host, "the adapter answers more than %d outputs", FIRSTFLIGHT_OUTPUTS_MAX);
    }
    fputs("{\"op\":\"computed\"", FIRSTFLIGHT_ANSWERS);
    for (uint32_t n = 0; n < computed->output_count; n++) {
        const struct firstflight_output *output = &computed->outputs[n];
        fputc(',', FIRSTFLIGHT_ANSWERS);
        json_write_text(FIRSTFLIGHT_ANSWERS, output->name);
        fputc(':', FIRSTFLIGHT_ANSWERS);
        if (output->numerator == NULL) {
            json_write_u64(FIRSTFLIGHT_ANSWERS, output->value);
        } else {
            fputc('[', FIRSTFLIGHT_ANSWERS);
            json_write_text(FIRSTFLIGHT_ANSWERS, output->numerator);
            fputc(',', FIRSTFLIGHT_ANSWERS);
            json_write_text(FIRSTFLIGHT_ANSWERS, output->denominator);
            fputc(']', FIRSTFLIGHT_ANSWERS);
        }
    }
    fputs("}\n", FIRSTFLIGHT_ANSWERS);
}

static void answer_reason(const char *op, const char *reason)
{
    fputs("{\"op\":", FIRSTFLIGHT_ANSWERS);
    json_write_text(FIRSTFLIGHT_ANSWERS, op);
    fputs(",\"reason\":", FIRSTFLIGHT_ANSWERS);
    json_write_text(FIRSTFLIGHT_ANSWERS, reason != NULL ? reason : "no reason given");
    fputs("}\n", FIRSTFLIGHT_ANSWERS);
}

static size_t read_inputs(const struct host *host, struct firstflight_input inputs[INPUTS_MAX])
{
    size_t object = member(host, 0, "inputs");
    const struct json_node *nodes = host->doc.nodes;
    size_t count = nodes[object].children;

    if (nodes[object].kind != JSON_OBJECT || count > INPUTS_MAX) {
        die(host, "inputs: is no object of at most %d numbers", INPUTS_MAX);
    }
    size_t at = object + 1;
    for (size_t i = 0; i < count; i++) {
        size_t value = nodes[at].next;
        inputs[i] = (struct firstflight_input){nodes[at].text, number(host, value, nodes[at].text)};
        at = nodes[value].next;
    }
    return count;
}

static void on_compute(const struct host *host)
{
    struct firstflight_input inputs[INPUTS_MAX];
    const struct firstflight_computation computation = {
        .id = text_member(host, 0, "case"),
        .algorithm = text_member(host, 0, "algorithm"),
        .profile = text_member(host, 0, "profile"),
        .inputs = inputs,
        .input_count = read_inputs(host, inputs),
    };
    struct firstflight_computed computed = {0};

    if (firstflight_adapter_compute == NULL) {
        answer_reason("unsupported", "this adapter computes nothing");
        return;
    }
    switch (firstflight_adapter_compute(&computation, &computed)) {
    case FIRSTFLIGHT_COMPUTED:
        answer_computed(host, &computed);
        return;
    case FIRSTFLIGHT_REFUSED:
        answer_reason("refused", computed.reason);
        return;
    case FIRSTFLIGHT_UNSUPPORTED:
        answer_reason("unsupported", computed.reason);
        return;
    default:
        die(host, "the adapter cannot go on");
    }
}

static void on_message(struct host *host)
{
    const char *op = text_member(host, 0, "op");

    if (strcmp(op, "hello") == 0) {
        on_hello(host);
    } else if (strcmp(op, "start") == 0) {
        on_start(host);
    } else if (strcmp(op, "event") == 0) {
        on_event(host);
    } else if (strcmp(op, "compute") == 0) {
        on_compute(host);
    } else if (strcmp(op, "end") == 0) {
        end_case(host);
        say("{\"op\":\"ended\"}");
    } else {
        die(host, "op: unknown message %s", op);
    }
    if (fflush(FIRSTFLIGHT_ANSWERS) != 0) {
        die(host, "cannot write the answer");
    }
}

int main(void)
{
    struct host host = {0};
    enum json_read read;

    while ((read = json_read_line(&host.doc, stdin)) == JSON_READ_LINE) {
        host.line++;
        const char *error = json_parse(&host.doc);
        if (error != NULL) {
            die(&host, "no JSON: %s", error);
        }
        on_message(&host);
    }
    host.line++;
    if (read != JSON_READ_END) {
        die(&host, read == JSON_READ_TOO_LONG ? "is too long" : "cannot be read");
    }
    end_case(&host);
    free(host.runs);
    free(host.ranges);
    json_free(&host.doc);
    return 0;
}
