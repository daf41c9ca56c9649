/* Converts a scenario in JSON to a struct sim_scenario, with the checks of its schema and of simulate/scenario.py. */
#include "scenario.h"

#include <stdlib.h>

#include "../../conformance/simulator/simulator.h"
#include "event_json.h"

#define STEPS_MAX 64

struct reader {
    const struct json_doc *doc;
    const char *error; /* the first one */
};

static bool fail(struct reader *reader, const char *error)
{
    if (reader->error == NULL) {
        reader->error = error;
    }
    return false;
}

static bool is_null(const struct reader *reader, size_t node)
{
    return reader->doc->nodes[node].kind == JSON_NULL;
}

static size_t object_of(struct reader *reader, size_t object, const char *name)
{
    size_t value = 0;

    if (!json_member(reader->doc, object, name, &value)) {
        fail(reader, name);
    }
    return value;
}

static const char *text_of(struct reader *reader, size_t object, const char *name)
{
    size_t value = object_of(reader, object, name);

    return reader->doc->nodes[value].kind == JSON_STRING ? reader->doc->nodes[value].text : (fail(reader, name), "");
}

/* The number, or `missing` where the member is null or not there. */
static uint64_t number_or(struct reader *reader, size_t object, const char *name, uint64_t missing)
{
    size_t value;
    uint64_t number = missing;

    if (json_member(reader->doc, object, name, &value) && !is_null(reader, value) &&
        !json_u64(reader->doc, value, &number)) {
        fail(reader, name);
    }
    return number;
}

/* A number that must be there and is at most `largest`. */
static uint64_t number(struct reader *reader, size_t object, const char *name, uint64_t largest)
{
    uint64_t value = number_or(reader, object, name, SIM_NONE);

    return value <= largest ? value : (fail(reader, name), 0);
}

static bool flag(struct reader *reader, size_t object, const char *name)
{
    size_t value;
    bool set = false;

    if (json_member(reader->doc, object, name, &value) && !json_bool(reader->doc, value, &set)) {
        fail(reader, name);
    }
    return set;
}

static void read_steps(struct reader *reader, size_t object, struct sim_link *link, struct sim_step steps[STEPS_MAX])
{
    const struct json_node *nodes = reader->doc->nodes;
    size_t list;

    link->steps = steps;
    if (json_member(reader->doc, object, "rise_ns", &list)) {
        steps[0].at_ns = number(reader, object, "rise_at_ns", SIM_TIME_END_NS - 1);
        steps[0].longer_ns = number(reader, object, "rise_ns", SIM_TIME_END_NS - 1);
        link->step_count = 1;
        return;
    }
    if (!json_member(reader->doc, object, "delay_steps", &list)) {
        return;
    }
    if (nodes[list].kind != JSON_ARRAY || nodes[list].children > STEPS_MAX) {
        fail(reader, "delay_steps");
        return;
    }
    size_t at = list + 1;
    for (size_t i = 0; i < nodes[list].children; i++) {
        steps[i].at_ns = number(reader, at, "at_ns", SIM_TIME_END_NS - 1);
        steps[i].longer_ns = number(reader, at, "longer_ns", SIM_TIME_END_NS - 1);
        if (i > 0 && steps[i].at_ns <= steps[i - 1].at_ns) {
            fail(reader, "delay_steps: at_ns must rise");
        }
        at = nodes[at].next;
    }
    link->step_count = nodes[list].children;
}

static void read_link(struct reader *reader, size_t object, struct sim_link *link, struct sim_step steps[STEPS_MAX])
{
    *link = (struct sim_link){
        .rate_bps = number(reader, object, "rate_bps", SIM_SIZE_MAX_BYTES),
        .forward_delay_ns = number(reader, object, "forward_delay_ns", SIM_TIME_END_NS - 1),
        .return_delay_ns = number(reader, object, "return_delay_ns", SIM_TIME_END_NS - 1),
        .queue_bytes = number(reader, object, "queue_bytes", SIM_SIZE_MAX_BYTES),
        .queue_packets = SIM_NONE,
        .loss_ppm = number(reader, object, "loss_ppm", 1000000),
        .jitter_ns = number(reader, object, "jitter_ns", SIM_TIME_END_NS - 1),
    };
    if (link->rate_bps < SIM_RATE_MIN_BPS) {
        fail(reader, "rate_bps");
    } else if (link->queue_bytes > SIM_DRAIN_MAX_NS / UINT64_C(8000000000) * link->rate_bps) {
        fail(reader, "queue_bytes: it takes too long to drain");
    }
    read_steps(reader, object, link, steps);
}

static void read_sender(struct reader *reader, size_t object, const struct sim_link *link, struct sim_transfer *transfer)
{
    uint64_t rise_ns = link->step_count > 0 && link->steps[0].at_ns == 0 ? link->steps[0].longer_ns : 0;

    *transfer = (struct sim_transfer){
        .max_datagram_size_bytes = number(reader, object, "max_datagram_size_bytes", FF_DATAGRAM_MAX_BYTES),
        .initial_window_bytes = number_or(reader, object, "initial_window_bytes", 0),
        .transfer_bytes = number_or(reader, object, "transfer_bytes", SIM_NONE),
        .pacing = flag(reader, object, "paced") ? SIM_PACING_WINDOW : SIM_PACING_NONE,
        .receive_window_bytes = SIM_NONE,
        .first_receive_window_bytes = SIM_NONE,
        .send_buffer_bytes = SIM_NONE,
        .write_bytes = 1,
        .rtt_tick_ns = SIM_NONE,
        .announced = flag(reader, object, "announced"),
        .saved_cwnd_bytes = number_or(reader, object, "saved_cwnd_bytes", SIM_NONE),
        .saved_rtt_ns = link->forward_delay_ns + rise_ns + link->return_delay_ns,
        .syn_bytes = SIM_NONE,
        .max_data_bytes = SIM_NONE,
    };
    if (transfer->max_datagram_size_bytes == 0) {
        fail(reader, "max_datagram_size_bytes");
    }
    if (transfer->initial_window_bytes > FF_WINDOW_MAX_BYTES) {
        fail(reader, "initial_window_bytes");
    }
    if (transfer->transfer_bytes != SIM_NONE && (transfer->transfer_bytes == 0 || transfer->transfer_bytes > SIM_SIZE_MAX_BYTES)) {
        fail(reader, "transfer_bytes");
    }
    if (transfer->saved_cwnd_bytes != SIM_NONE && transfer->saved_cwnd_bytes > FF_WINDOW_MAX_BYTES) {
        fail(reader, "saved_cwnd_bytes");
    }
}

static void read_scenario(struct reader *reader, size_t object, struct sim_scenario *scenario, struct sim_step *steps)
{
    size_t receiver = object_of(reader, object, "receiver");

    scenario->seed = number(reader, object, "seed", (UINT64_C(1) << 53) - 1);
    scenario->stop_ns = number(reader, object, "stop_ns", SIM_TIME_END_NS - 1);
    scenario->after_slow_start_ns = number(reader, object, "after_slow_start_ns", SIM_TIME_END_NS - 1);
    read_link(reader, object_of(reader, object, "link"), &scenario->link, steps);
    read_sender(reader, object_of(reader, object, "sender"), &scenario->link, &scenario->transfer);
    scenario->receiver.ack_every_packets = number(reader, receiver, "ack_every_packets", UINT32_MAX);
    scenario->receiver.max_ack_delay_ns = number(reader, receiver, "max_ack_delay_ns", SIM_TIME_END_NS - 1);
    if (scenario->receiver.ack_every_packets == 0) {
        fail(reader, "ack_every_packets");
    }
}

static void on_event(void *context, size_t flow, const struct ff_event *event, const struct ff_observation *observation)
{
    (void)context;
    (void)flow;
    (void)observation;
    ff_event_write(stdout, event);
}

static void write_summary(const struct sim_summary *summary)
{
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {
        {"{\"events\":", summary->events},
        {",\"duration_ns\":", summary->ended_ns - summary->began_ns},
        {",\"slow_start_ended_ns\":", summary->slow_start_ended_ns == SIM_NONE
                                          ? SIM_NONE
                                          : summary->slow_start_ended_ns - summary->began_ns},
        {",\"largest_cwnd_bytes\":", summary->largest_cwnd_bytes},
        {",\"final_cwnd_bytes\":", summary->final_cwnd_bytes},
        {",\"dropped_packets\":", summary->dropped_packets},
        {",\"lost_packets\":", summary->lost_packets},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        ff_member_write(stdout, members[i].name, members[i].value);
    }
    fputs(summary->done ? ",\"done\":true}\n" : ",\"done\":false}\n", stdout);
}

int ff_scenario_run(const struct json_doc *doc, const char **error)
{
    const struct sim_watch watch = {.event = on_event};
    struct reader reader = {.doc = doc};
    struct sim_step steps[STEPS_MAX];
    struct sim_scenario scenario = {0};
    struct sim_summary summary;
    const char *algorithm = text_of(&reader, 0, "algorithm");
    const char *profile = text_of(&reader, 0, "profile");

    read_scenario(&reader, object_of(&reader, 0, "scenario"), &scenario, steps);
    if (reader.error != NULL) {
        *error = reader.error;
        return SIM_REFUSED;
    }
    enum sim_status status = sim_simulate(&scenario, algorithm, profile, &watch, &summary);
    if (status == SIM_OK) {
        write_summary(&summary);
    }
    return (int)status;
}
