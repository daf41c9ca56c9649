#include "jumpstart_pfldnet_2007.h"
#include "base.h"
#include "jumpstart_pfldnet_2007_invariant.h"

static struct jumpstart_pfldnet_2007 jump;
static struct jumpstart_pfldnet_2007_range ranges[DRIVE_RUNS];
const size_t drive_state_bytes = sizeof jump;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    jumpstart_pfldnet_2007_begin(&jump, max_datagram_size);
}

DRIVE_MEASURED static int header_on_ack(const struct jumpstart_pfldnet_2007_ack *ack, struct jumpstart_pfldnet_2007_window *window) {
    return (int)jumpstart_pfldnet_2007_on_ack(&jump, ack, window);
}

static void to_ranges(const struct drive_run *runs, uint64_t count) {
    for (uint64_t i = 0; i < FEW_RUNS(count, 64); i++) {
        ranges[i].first = runs[i].first;
        ranges[i].last = runs[i].last;
    }
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    struct jumpstart_pfldnet_2007_window window = {base.congestion_window, base.ssthresh, base.congestion_recovery_start_time,
                                                   base.in_recovery};
    int outcome = -1;
    if (event->kind == BACKLOG) {
        struct jumpstart_pfldnet_2007_backlog backlog = {event->t_ns, event->queued_bytes, event->receive_window_bytes,
                                                         event->latest_rtt_ns};
        outcome = (int)jumpstart_pfldnet_2007_on_backlog(&jump, &backlog, &window);
    } else if (event->kind == SENT) {
        to_ranges(event->retransmits, event->retransmit_count);
        struct jumpstart_pfldnet_2007_sent sent = {packets_of(event), last_of(event)->last,
                                                   ranges, (uint32_t)FEW_RUNS(event->retransmit_count, 64)};
        outcome = (int)jumpstart_pfldnet_2007_on_sent(&jump, &sent);
    } else if (event->kind == ACK) {
        struct jumpstart_pfldnet_2007_ack ack = {last_of(event)->last, latest_sent(event),
                                                 event->oldest_unacked_packet};
        outcome = header_on_ack(&ack, &window);
    } else if (event->kind == LOST) {
        to_ranges(event->runs, event->run_count);
        outcome = (int)jumpstart_pfldnet_2007_on_lost(&jump, ranges, (uint32_t)FEW_RUNS(event->run_count, 64), latest_sent(event), event->t_ns,
                                                      &window);
    } else if (event->kind == CE) {
        outcome = (int)jumpstart_pfldnet_2007_on_ce(&jump, event->packet, event->sent_t_ns, event->t_ns, &window);
    } else if (event->kind == PERSISTENT_CONGESTION) {
        outcome = (int)jumpstart_pfldnet_2007_on_timeout(&jump, &window);
    }
    set_window(window.cwnd);
    base.ssthresh = window.ssthresh;
    base.congestion_recovery_start_time = window.recovery_start_time;
    base.in_recovery = window.in_recovery;
    struct drive_answer answer;
    if (outcome < 0 || outcome == JUMPSTART_PFLDNET_2007_NORMAL || outcome == JUMPSTART_PFLDNET_2007_JUMP_ENDED)
        answer = base_on_event(event);
    if (outcome > 0)
        answer = answer_of("jumpstart_pfldnet_2007", outcome);
    if (jump.jumping)
        answer.phase = "jump";
    answer.next_release_ns = jumpstart_pfldnet_2007_next_release_ns(&jump);
    return answer;
}

int drive_holds(const struct drive_event *event) {
    struct jumpstart_pfldnet_2007_window window = {base.congestion_window, base.ssthresh, base.congestion_recovery_start_time,
                                                   base.in_recovery};
    (void)event;
    return jumpstart_pfldnet_2007_invariant(&jump, &window);
}
