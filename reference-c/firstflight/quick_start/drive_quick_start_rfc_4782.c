#include "quick_start_rfc_4782.h"
#include "base.h"
#include "quick_start_rfc_4782_invariant.h"

static struct quick_start_rfc_4782 quick;
static struct quick_start_rfc_4782_run quick_runs[DRIVE_RUNS];
const size_t drive_state_bytes = sizeof quick;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    quick_start_rfc_4782_begin(&quick, max_datagram_size);
}

static struct quick_start_rfc_4782_window window_of_base(void) {
    struct quick_start_rfc_4782_window window = {base.congestion_window, base.ssthresh, base.congestion_recovery_start_time, base.in_recovery};
    return window;
}

static void to_base(const struct quick_start_rfc_4782_window *window) {
    set_window(window->cwnd);
    base.ssthresh = window->ssthresh;
    base.congestion_recovery_start_time = window->recovery_start_time;
    base.in_recovery = window->in_recovery;
}

static void to_runs(const struct drive_event *event) {
    EACH_RUN(event, i) {
        quick_runs[i].first = event->runs[i].first;
        quick_runs[i].last = event->runs[i].last;
        quick_runs[i].size_bytes = event->runs[i].size_bytes;
        quick_runs[i].sent_time = event->runs[i].sent_t_ns;
    }
}

DRIVE_MEASURED static int header_on_ack(const struct drive_event *event, struct quick_start_rfc_4782_window *window) {
    uint64_t largest = last_of(event)->last;
    return quick_start_rfc_4782_before_growth(&quick, largest, event->bytes_in_flight, window);
}

static struct drive_answer on_ack(const struct drive_event *event) {
    struct quick_start_rfc_4782_window window = window_of_base();
    struct drive_answer answer = answer_of("quick_start_rfc_4782", QUICK_START_RFC_4782_QUICK_START_ENDED);
    uint32_t run_count = (uint32_t)event->run_count;
    int ended = header_on_ack(event, &window);
    to_base(&window);
    if (quick_start_rfc_4782_limits(&quick, event->app_limited != 0, &window)) {
        int outcome = (int)quick_start_rfc_4782_limited_slow_start(&quick, quick_runs, run_count, &window);
        to_base(&window);
        answer = answer_of("quick_start_rfc_4782", ended ? QUICK_START_RFC_4782_QUICK_START_ENDED : outcome);
    } else {
        answer = base_on_event(event);
        if (ended)
            answer = answer_of("quick_start_rfc_4782", QUICK_START_RFC_4782_QUICK_START_ENDED);
    }
    if (quick_start_rfc_4782_has_request(&quick, quick_runs, run_count)) {
        window = window_of_base();
        int outcome = (int)quick_start_rfc_4782_after_growth(&quick, event->t_ns, event->latest_rtt_ns, &window);
        to_base(&window);
        answer = answer_of("quick_start_rfc_4782", outcome);
    }
    return answer;
}

static struct drive_answer on_other(const struct drive_event *event) {
    struct quick_start_rfc_4782_window window = window_of_base();
    int outcome = -1;
    if (event->kind == BACKLOG)
        outcome = (int)quick_start_rfc_4782_on_backlog(&quick, event->t_ns, event->latest_rtt_ns, &window);
    else if (event->kind == IDLE_RESTART)
        outcome = (int)quick_start_rfc_4782_on_idle_restart(&quick, &window);
    else if (event->kind == SENT)
        outcome = (int)quick_start_rfc_4782_on_sent(&quick, event->runs[0].first, last_of(event)->last, packets_of(event),
                                                    event->bytes_in_flight);
    else if (event->kind == LOST)
        outcome = (int)quick_start_rfc_4782_on_lost(&quick, quick_runs, (uint32_t)event->run_count, latest_sent(event), event->t_ns,
                                                    event->bytes_in_flight, &window);
    else if (event->kind == CE)
        outcome = (int)quick_start_rfc_4782_on_ce(&quick, event->packet, event->sent_t_ns, event->t_ns, &window);
    else if (event->kind == PERSISTENT_CONGESTION)
        quick_start_rfc_4782_end_mode(&quick);
    to_base(&window);
    return outcome < 0 ? base_on_event(event) : answer_of("quick_start_rfc_4782", outcome);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    to_runs(event);
    struct drive_answer answer = event->kind == ACK ? on_ack(event) : on_other(event);
    if (quick.mode)
        answer.phase = "quick_start";
    answer.next_release_ns = quick_start_rfc_4782_next_release_ns(&quick);
    return answer;
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return quick_start_rfc_4782_invariant(&quick);
}
