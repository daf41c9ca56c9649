/* The sender: asks the controller for the window, keeps the ledger, and makes every event. Twin: simulator/sender.py. */
#include "parts.h"

#define INITIAL_RTT_NS UINT64_C(333000000)

/* Return whether all data is acknowledged. */
bool sim_sender_done(const struct sim_sender *sender)
{
    return sender->ledger.bytes_in_flight == 0 && sender->left_bytes == 0;
}

/* Return the size of the next packet, 0 if there is nothing to send now. What is left may be SIM_NONE, which is more than any packet. */
static uint64_t next_size_bytes(const struct sim_sender *sender)
{
    uint64_t full_bytes = sender->scenario->max_datagram_size_bytes;
    return sender->left_bytes < full_bytes ? sender->left_bytes : full_bytes;
}

static uint64_t room_bytes(const struct sim_sender *sender)
{
    uint64_t in_flight_bytes = sender->ledger.bytes_in_flight;
    return sender->cwnd_bytes > in_flight_bytes ? sender->cwnd_bytes - in_flight_bytes : 0;
}

static bool fits(const struct sim_sender *sender, uint64_t size_bytes)
{
    return size_bytes <= room_bytes(sender);
}

static bool paced(const struct sim_sender *sender)
{
    return sender->next_release_ns != FF_NONE || sender->scenario->paced;
}

/* Return whether only the pacer holds a packet back. */
bool sim_sender_wants_pacer(const struct sim_sender *sender)
{
    uint64_t size_bytes = next_size_bytes(sender);
    return paced(sender) && size_bytes > 0 && fits(sender, size_bytes);
}

/* Offer the saved set before anything else, and say how much data waits. */
static void begin(struct sim_sender *sender, uint64_t now_ns)
{
    const struct sim_scenario *scenario = sender->scenario;
    bool saved = scenario->saved_cwnd_bytes != SIM_NONE;

    sender->begun = true;
    if (saved) {
        struct ff_event event = {.kind = FF_EVENT_SAVED_PATH, .t_ns = now_ns};
        event.saved_path = (struct ff_saved_path){
            .saved_cwnd_bytes = scenario->saved_cwnd_bytes,
            .saved_rtt_ns = sim_forward_delay_at(scenario, 0) + scenario->return_delay_ns,
            .endpoint_matches = true,
            .expires_t_ns = UINT64_MAX,
            .max_jump_bytes = UINT64_MAX,
            .beta_numerator = 1,
            .beta_denominator = 2,
        };
        sim_sender_record(sender, &event);
    }
    if (saved || scenario->announced) {
        struct ff_event event = {.kind = FF_EVENT_BACKLOG, .t_ns = now_ns};
        event.backlog.queued_bytes = scenario->transfer_bytes == SIM_NONE ? FF_WINDOW_MAX_BYTES : scenario->transfer_bytes;
        event.backlog.receive_window_bytes = FF_WINDOW_MAX_BYTES;
        event.backlog.latest_rtt_ns = sender->rtt.latest_ns;
        sim_sender_record(sender, &event);
    }
}

/* Put packets into the ledger; they join those before them if these have their size. Data ends with one smaller packet: two runs at most. */
static void append(struct sim_sender *sender, struct sim_flight *flight, uint64_t size_bytes, uint64_t count, uint64_t now_ns)
{
    uint64_t packet = sender->ledger.next_packet;

    if (sender->left_bytes != SIM_NONE) {
        sender->left_bytes -= count * size_bytes;
    }
    sim_ledger_send(&sender->ledger, count, size_bytes, now_ns);
    if (flight->count > 0 && flight->runs[flight->count - 1].size_bytes == size_bytes) {
        flight->runs[flight->count - 1].last += count;
    } else {
        flight->runs[flight->count++] = (struct ff_run){packet, packet + count - 1, size_bytes, now_ns};
    }
}

/*
 * Say when the packet after one that left now may leave: 5/4 of a window per smoothed RTT. 4 * 2^16 * 2^44 = 2^62; a window beyond
 * 2^60 bytes gives 1 ns, as 2^60 does.
 */
static void hold_back(struct sim_sender *sender, uint64_t size_bytes, uint64_t now_ns)
{
    uint64_t rtt_ns = sender->rtt.smoothed_ns == SIM_NONE ? INITIAL_RTT_NS : sender->rtt.smoothed_ns;
    uint64_t cwnd_bytes = sender->cwnd_bytes < UINT64_C(1) << 60 ? sender->cwnd_bytes : UINT64_C(1) << 60;
    uint64_t window = 5 * (cwnd_bytes > 0 ? cwnd_bytes : 1);
    uint64_t from_ns = sender->release_ns > now_ns ? sender->release_ns : now_ns;

    sender->release_ns = from_ns + (4 * size_bytes * rtt_ns + window - 1) / window;
}

/* Return how many packets of this size may leave now. */
static uint64_t count_alike(const struct sim_sender *sender, uint64_t size_bytes, uint64_t now_ns)
{
    if (paced(sender)) { /* packets leave one by one */
        return sender->release_ns <= now_ns && fits(sender, size_bytes);
    }
    uint64_t most = room_bytes(sender) / size_bytes;
    return most < sender->left_bytes / size_bytes ? most : sender->left_bytes / size_bytes;
}

static void record_sent(struct sim_sender *sender, const struct sim_flight *flight, uint64_t bytes_before, uint64_t now_ns)
{
    bool limited = next_size_bytes(sender) == 0 && fits(sender, sender->scenario->max_datagram_size_bytes);
    struct ff_event event = {.kind = FF_EVENT_SENT, .t_ns = now_ns};

    sender->app_limited_from = limited ? flight->runs[0].first : SIM_NONE;
    event.sent = (struct ff_sent){
        .packets = flight->runs,
        .run_count = flight->count,
        .bytes = sender->ledger.bytes_in_flight - bytes_before,
        .bytes_in_flight = sender->ledger.bytes_in_flight,
        .app_limited = limited,
    };
    sim_sender_record(sender, &event);
}

/* Send what the window, the pacer and the data allow; return the packets. */
struct sim_flight sim_sender_send(struct sim_sender *sender, uint64_t now_ns)
{
    struct sim_flight flight = {.count = 0};

    if (!sender->begun) {
        begin(sender, now_ns);
    }
    uint64_t bytes_before = sender->ledger.bytes_in_flight, size_bytes, alike;
    bool one_by_one = paced(sender);
    while ((size_bytes = next_size_bytes(sender)) > 0 && (alike = count_alike(sender, size_bytes, now_ns)) > 0) {
        append(sender, &flight, size_bytes, alike, now_ns);
        if (one_by_one) {
            hold_back(sender, size_bytes, now_ns);
        }
        if (sender->next_release_ns != FF_NONE) {
            break; /* the controller says when the next one may leave */
        }
    }
    if (flight.count > 0) {
        record_sent(sender, &flight, bytes_before, now_ns);
    }
    return flight;
}

/* Process an ACK frame: losses first, then what it acknowledges (RFC 9002, appendix A.7). */
void sim_sender_on_ack(struct sim_sender *sender, uint64_t now_ns, const struct sim_ack_frame *frame)
{
    struct sim_runs *acked = &sender->acked;
    uint64_t latest_ns = FF_NO_RTT_NS;

    acked->count = 0;
    acked->bytes = 0;
    for (size_t i = 0; i < frame->range_count; i++) {
        for (uint64_t packet = frame->ranges[i].first; packet <= frame->ranges[i].last; packet++) {
            if (sim_ledger_find(&sender->ledger, packet) != NULL) {
                sim_runs_add(acked, sender->room, sim_ledger_take(&sender->ledger, packet));
            }
        }
    }
    if (acked->count == 0) {
        return; /* all of it was declared lost before */
    }
    const struct ff_run *largest = &acked->runs[acked->count - 1];
    if (largest->last >= sender->acked_end) {
        sender->acked_end = largest->last + 1;
        latest_ns = now_ns - largest->sent_t_ns;
        sim_rtt_sample(&sender->rtt, latest_ns, frame->ack_delay_ns);
    }
    sim_detect_losses(sender, now_ns, acked->bytes);
    struct ff_event event = {.kind = FF_EVENT_ACK, .t_ns = now_ns};
    event.ack = (struct ff_ack){
        .packets = acked->runs,
        .run_count = acked->count,
        .bytes = acked->bytes,
        .bytes_in_flight = sender->ledger.bytes_in_flight,
        .next_packet = sender->ledger.next_packet,
        .app_limited = sender->app_limited_from != SIM_NONE && largest->last >= sender->app_limited_from,
        .latest_rtt_ns = latest_ns,
        .min_rtt_ns = sender->rtt.min_ns,
        .smoothed_rtt_ns = sender->rtt.smoothed_ns,
        .ack_delay_ns = frame->ack_delay_ns,
        .oldest_unacked_packet = FF_NO_PACKET,
    };
    sim_sender_record(sender, &event);
}

/* Return whether an outcome ends slow start: loop.py, SLOW_START_ENDS. */
static bool ends_slow_start(enum ff_outcome outcome)
{
    return outcome == FF_OUTCOME_EXITED || outcome == FF_OUTCOME_REDUCED || outcome == FF_OUTCOME_EXITED_BY_TRAIN ||
           outcome == FF_OUTCOME_EXITED_BY_DELAY || outcome == FF_OUTCOME_EXITED_BY_CAP;
}

static void summarize(struct sim_summary *summary, uint64_t t_ns, const struct ff_observation *answer)
{
    if (summary->events++ == 0) {
        summary->began_ns = t_ns;
    }
    summary->ended_ns = t_ns;
    summary->final_cwnd_bytes = answer->cwnd_bytes;
    if (answer->cwnd_bytes > summary->largest_cwnd_bytes) {
        summary->largest_cwnd_bytes = answer->cwnd_bytes;
    }
    if (summary->slow_start_ended_ns == SIM_NONE && ends_slow_start(answer->outcome)) {
        summary->slow_start_ended_ns = t_ns;
        summary->ended_by = (uint64_t)answer->outcome;
    }
}

/* Tell the controller of an event. */
void sim_sender_record(struct sim_sender *sender, const struct ff_event *event)
{
    struct ff_observation answer;

    if (ff_controller_step(&sender->controller, event, &answer) != FF_OK) {
        sim_raise(sender->room, SIM_REFUSED);
    }
    if (sender->trace != NULL) {
        sender->trace(sender->context, event, &answer);
    }
    summarize(sender->summary, event->t_ns, &answer);
    sender->cwnd_bytes = answer.cwnd_bytes;
    sender->next_release_ns = answer.next_release_ns;
    if (answer.next_release_ns != FF_NONE) {
        sender->release_ns = answer.next_release_ns;
    }
    bool in_slow_start = answer.phase == FF_PHASE_SLOW_START || answer.phase == FF_PHASE_CONSERVATIVE_SLOW_START;
    if (sender->slow_start_end_ns == SIM_NONE && !in_slow_start) {
        sender->slow_start_end_ns = event->t_ns;
    }
}

void sim_runs_add(struct sim_runs *runs, struct sim_room *room, struct ff_run run)
{
    if (runs->count == runs->capacity) {
        runs->runs = sim_grow(room, runs->runs, &runs->capacity, runs->count, sizeof *runs->runs);
    }
    runs->runs[runs->count++] = run;
    runs->bytes += run.size_bytes;
}
