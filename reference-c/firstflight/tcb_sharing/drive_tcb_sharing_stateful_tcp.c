#include "tcb_sharing_stateful_tcp.h"
#include "base.h"
#include "tcb_sharing_stateful_tcp_invariant.h"

static struct tcb_sharing_stateful_tcp stateful;
const size_t drive_state_bytes = sizeof stateful;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    tcb_sharing_stateful_tcp_begin(&stateful, max_datagram_size);
}

static struct drive_answer on_saved_path(const struct drive_event *event) {
    struct tcb_sharing_stateful_tcp_cached cached = {event->saved_cwnd_bytes, event->saved_rtt_ns, event->max_jump_bytes,
                                                     event->endpoint_matches != 0};
    uint64_t cwnd = base.congestion_window;
    int outcome = (int)tcb_sharing_stateful_tcp_on_saved_path(&stateful, &cached, event->t_ns, &cwnd);
    set_window(cwnd);
    return answer_of("tcb_sharing_stateful_tcp", outcome);
}

DRIVE_MEASURED static int header_on_ack(uint64_t rtt, uint64_t bytes_in_flight, uint64_t *cwnd) {
    return tcb_sharing_stateful_tcp_on_ack(&stateful, rtt, bytes_in_flight, cwnd);
}

static struct drive_answer on_ack(const struct drive_event *event) {
    uint64_t cwnd = base.congestion_window;
    int ended = header_on_ack(event->latest_rtt_ns, event->bytes_in_flight, &cwnd);
    set_window(cwnd);
    struct drive_answer answer = base_on_event(event);
    return ended ? answer_of("tcb_sharing_stateful_tcp", TCB_SHARING_STATEFUL_TCP_PACED_STARTUP_ENDED) : answer;
}

static struct drive_answer dispatch(const struct drive_event *event) {
    if (event->kind == SAVED_PATH)
        return on_saved_path(event);
    if (event->kind == ACK)
        return on_ack(event);
    if (event->kind == SENT)
        tcb_sharing_stateful_tcp_on_sent(&stateful, event->bytes);
    struct drive_answer answer = base_on_event(event);
    if ((event->kind == LOST || event->kind == CE) && answer.outcome == NEWRENO_RFC_9002_REDUCED)
        tcb_sharing_stateful_tcp_on_congestion(&stateful);
    if (event->kind == PERSISTENT_CONGESTION)
        tcb_sharing_stateful_tcp_on_congestion(&stateful);
    return answer;
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    struct drive_answer answer = dispatch(event);
    answer.next_release_ns = tcb_sharing_stateful_tcp_next_release_ns(&stateful);
    return answer;
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return tcb_sharing_stateful_tcp_invariant(&stateful);
}
