#include "rapid_start_draft_02.h"
#include "base.h"
#include "rapid_start_draft_02_invariant.h"

static struct rapid_start_draft_02 rapid;
static int startup, first_recovery;
const size_t drive_state_bytes = sizeof rapid;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    rapid_start_draft_02_begin(&rapid, max_datagram_size);
    startup = 1;
    first_recovery = 0;
}

DRIVE_MEASURED static int header_on_ack(const struct rapid_start_draft_02_ack *ack, uint64_t *cwnd) {
    return (int)rapid_start_draft_02_on_ack(&rapid, ack, cwnd);
}

static struct drive_answer on_ack(const struct drive_event *event) {
    uint64_t cwnd = base.congestion_window;
    struct rapid_start_draft_02_ack ack = {last_of(event)->last, event->next_packet, event->bytes,
                                           event->latest_rtt_ns, event->min_rtt_ns, event->app_limited != 0};
    int outcome = header_on_ack(&ack, &cwnd);
    set_window(cwnd);
    return answer_of("rapid_start_draft_02", outcome);
}

static struct drive_answer reduced(int outcome, uint64_t cwnd) {
    base.congestion_window = base.ssthresh = cwnd;
    return answer_of("rapid_start_draft_02", outcome);
}

/* Return the bytes of packets sent before the recovery period. */
static uint64_t old_bytes(const struct drive_event *event) {
    uint64_t bytes = 0;
    EACH_RUN(event, i)
        if (event->runs[i].sent_t_ns <= base.congestion_recovery_start_time)
            bytes += (event->runs[i].last - event->runs[i].first + 1) * event->runs[i].size_bytes;
    return bytes;
}

static struct drive_answer on_recovery_ack(const struct drive_event *event) {
    uint64_t cwnd = base.congestion_window, bytes = old_bytes(event);
    struct drive_answer answer = answer_of("", 0);
    if (bytes > 0) {
        int outcome = (int)rapid_start_draft_02_on_recovery_ack(&rapid, bytes, &cwnd);
        answer = reduced(outcome, cwnd);
    }
    struct drive_answer after = base_on_event(event);
    first_recovery = base.in_recovery;
    return first_recovery ? answer : after;
}

static struct drive_answer on_congestion(const struct drive_event *event) {
    uint64_t cwnd = base.congestion_window;
    int begins = startup, outcome = 0;
    if (begins) {
        outcome = (int)rapid_start_draft_02_enter_recovery(&rapid, &cwnd);
        (void)reduced(outcome, cwnd);
        base.congestion_recovery_start_time = event->t_ns;
        base.in_recovery = first_recovery = 1;
        startup = 0;
    }
    struct drive_answer answer = base_on_event(event);
    if (answer.outcome == (int)NEWRENO_RFC_9002_REDUCED) {
        first_recovery = 0;
        return answer;
    }
    if (event->kind == LOST) {
        int further = (int)rapid_start_draft_02_on_recovery_lost(&rapid, event->bytes, &cwnd);
        answer = reduced(further, cwnd);
    }
    return begins ? reduced(outcome, cwnd) : answer;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    if (event->kind == ACK && startup)
        return on_ack(event);
    if (event->kind == ACK && first_recovery)
        return on_recovery_ack(event);
    if (((event->kind == LOST && !event->pmtu_probe) || event->kind == CE) && (startup || first_recovery))
        return on_congestion(event);
    if (event->kind == PERSISTENT_CONGESTION)
        startup = first_recovery = 0;
    if (event->kind == DATAGRAM_SIZE)
        rapid.minimum_window = 2 * event->max_datagram_size_bytes;
    return base_on_event(event);
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return rapid_start_draft_02_invariant(&rapid);
}
