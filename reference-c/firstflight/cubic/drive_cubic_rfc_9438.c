#include "cubic_rfc_9438.h"
#include "base.h"
#include "cubic_rfc_9438_invariant.h"

static struct cubic_rfc_9438 cubic;
static struct cubic_rfc_9438_run runs[DRIVE_RUNS];
const size_t drive_state_bytes = sizeof cubic;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window); /* only for the initial window */
    cubic_rfc_9438_begin(&cubic, max_datagram_size, base.congestion_window);
}

DRIVE_MEASURED static int header_on_ack(const struct cubic_rfc_9438_ack *ack) { return (int)cubic_rfc_9438_on_ack(&cubic, ack); }

static int on_ack(const struct drive_event *event) {
    EACH_RUN(event, i) {
        runs[i].count = (uint32_t)(event->runs[i].last - event->runs[i].first + 1);
        runs[i].size_bytes = (uint32_t)event->runs[i].size_bytes;
        runs[i].sent_time = event->runs[i].sent_t_ns;
    }
    struct cubic_rfc_9438_ack ack = {event->t_ns, event->bytes_in_flight,
                                     event->smoothed_rtt_ns == DRIVE_NONE ? 0 : event->smoothed_rtt_ns, runs,
                                     (uint32_t)FEW_RUNS(event->run_count, 4), event->app_limited != 0};
    return header_on_ack(&ack);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    int outcome = BASE_UNCHANGED;
    if (event->kind == SENT) {
        cubic_rfc_9438_on_sent(&cubic, event->t_ns);
        outcome = BASE_SENT;
    } else if (event->kind == ACK)
        outcome = on_ack(event);
    else if (event->kind == LOST && !event->pmtu_probe)
        outcome = cubic_rfc_9438_on_lost(&cubic, latest_sent(event), event->t_ns);
    else if (event->kind == CE)
        outcome = cubic_rfc_9438_on_ce(&cubic, event->sent_t_ns, event->t_ns);
    else if (event->kind == PERSISTENT_CONGESTION)
        outcome = cubic_rfc_9438_on_persistent_congestion(&cubic);
    else if (event->kind == SPURIOUS_LOSS)
        outcome = cubic_rfc_9438_on_spurious_loss(&cubic);
    else if (event->kind == DATAGRAM_SIZE)
        cubic_rfc_9438_on_datagram_size(&cubic, (uint32_t)event->max_datagram_size_bytes, event->handshake != 0,
                                        newreno_rfc_9002_initial_window(event->max_datagram_size_bytes));
    base.congestion_window = cubic.now.cwnd;
    base.ssthresh = cubic.now.ssthresh;
    base.in_recovery = cubic.now.in_recovery;
    return answer_of("cubic_rfc_9438", outcome);
}

static uint64_t acks;

int drive_holds(const struct drive_event *event) {
    acks += event->kind == ACK;
    return cubic_rfc_9438_windows_invariant(&cubic, acks) && cubic_rfc_9438_clock_invariant(&cubic, event->t_ns);
}
