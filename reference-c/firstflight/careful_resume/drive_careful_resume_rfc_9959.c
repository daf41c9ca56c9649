#include "careful_resume_rfc_9959.h"
#include "base.h"
#include "careful_resume_rfc_9959_invariant.h"

static struct careful_resume_rfc_9959 resume;
static struct careful_resume_rfc_9959_run runs[DRIVE_RUNS + 8];
const size_t drive_state_bytes = sizeof resume;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    careful_resume_rfc_9959_begin(&resume, max_datagram_size, base.congestion_window);
}

DRIVE_MEASURED static int header_on_ack(const struct careful_resume_rfc_9959_ack *ack, struct careful_resume_rfc_9959_window *window) {
    return (int)careful_resume_rfc_9959_on_ack(&resume, ack, window);
}

static struct careful_resume_rfc_9959_window copied_in(void) {
    struct careful_resume_rfc_9959_window window = {base.congestion_window, base.ssthresh, base.congestion_recovery_start_time};
    return window;
}

/* Return the outcome of the header, or of the controller if the former is NORMAL. */
static struct drive_answer on_ack(const struct drive_event *event) {
    struct careful_resume_rfc_9959_window window = copied_in();
    struct drive_answer normal = answer_of("newreno_rfc_9002", BASE_UNCHANGED);
    if (careful_resume_rfc_9959_on_ack_in_normal_cc(&resume, &window, &base.ssthresh))
        normal = base_on_event(event);
    base.ssthresh = window.ssthresh;
    window = copied_in();
    EACH_RUN(event, i) {
        runs[i].first = event->runs[i].first;
        runs[i].last = event->runs[i].last;
        runs[i].size_bytes = (uint32_t)event->runs[i].size_bytes;
    }
    struct careful_resume_rfc_9959_ack ack = {event->t_ns, event->bytes, event->bytes_in_flight, event->latest_rtt_ns, runs,
                                              (uint32_t)event->run_count};
#ifdef __bpf__ /* only the last runs: the verifier needs a known bound for their number */
    ack.run_count = event->run_count == 0 ? 1 : (uint32_t)FEW_RUNS(event->run_count, 8);
    ack.runs = &runs[(event->run_count - ack.run_count) & (DRIVE_RUNS - 1)];
#endif
    int outcome = header_on_ack(&ack, &window);
    set_window(window.cwnd);
    base.ssthresh = window.ssthresh;
    base.congestion_recovery_start_time = window.recovery_start_time;
    if (outcome == CAREFUL_RESUME_RFC_9959_NORMAL)
        return answer_of(normal.header, normal.outcome);
    return answer_of("careful_resume_rfc_9959", outcome);
}

static int on_saved_path(const struct drive_event *event) {
    struct careful_resume_rfc_9959_saved saved = {event->saved_cwnd_bytes, event->saved_rtt_ns, event->expires_t_ns,
                                                  event->max_jump_bytes, (uint32_t)event->beta_numerator,
                                                  (uint32_t)event->beta_denominator, event->endpoint_matches != 0, event->in_use != 0};
    return (int)careful_resume_rfc_9959_on_saved_path(&resume, &saved, event->t_ns);
}

static int on_other(const struct drive_event *event, struct careful_resume_rfc_9959_window *window) {
    if (event->kind == SAVED_PATH)
        return on_saved_path(event);
    if (event->kind == BACKLOG)
        return (int)careful_resume_rfc_9959_on_backlog(&resume, event->t_ns, event->queued_bytes, event->receive_window_bytes, window);
    if (event->kind == SENT) {
        struct careful_resume_rfc_9959_sent sent = {event->t_ns, event->runs[0].first, last_of(event)->last,
                                                    event->bytes, event->bytes_in_flight, event->app_limited != 0};
        return (int)careful_resume_rfc_9959_on_sent(&resume, &sent, window);
    }
    if (event->kind == LOST && event->pmtu_probe)
        resume.flight_size = careful_resume_rfc_9959_smaller(event->bytes_in_flight, CAREFUL_RESUME_RFC_9959_WINDOW_MAX);
    else if (event->kind == LOST || event->kind == CE) {
        uint32_t trigger =
            event->kind == CE ? CAREFUL_RESUME_RFC_9959_TRIGGER_ECN_CE : CAREFUL_RESUME_RFC_9959_TRIGGER_PACKET_LOSS;
        return (int)careful_resume_rfc_9959_on_detected_congestion(&resume, trigger, event->t_ns, event->bytes_in_flight, window);
    }
    if (event->kind == PATH_CHANGE)
        return (int)careful_resume_rfc_9959_on_path_change(&resume, event->t_ns, window);
    if (event->kind == PERSISTENT_CONGESTION)
        return (int)careful_resume_rfc_9959_on_persistent_congestion(&resume, window);
    return (int)careful_resume_rfc_9959_leave_unvalidated_if(&resume, event->t_ns, CAREFUL_RESUME_RFC_9959_NORMAL, 0, window);
}

static struct drive_answer dispatch(const struct drive_event *event) {
    if (event->kind == ACK)
        return on_ack(event);
    if (event->kind == DATAGRAM_SIZE) {
        /* Also if a phase ends; base_on_event repeats it without effect. */
        newreno_rfc_9002_on_datagram_size(&base, (uint32_t)event->max_datagram_size_bytes, event->handshake != 0);
        resume.max_datagram_size = (uint32_t)event->max_datagram_size_bytes;
    }
    struct careful_resume_rfc_9959_window window = copied_in();
    int outcome = on_other(event, &window);
    set_window(window.cwnd);
    base.ssthresh = window.ssthresh;
    base.congestion_recovery_start_time = window.recovery_start_time;
    return outcome == CAREFUL_RESUME_RFC_9959_NORMAL ? base_on_event(event) : answer_of("careful_resume_rfc_9959", outcome);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    static const char phases[8][16] = {"normal", "reconnaissance", "unvalidated", "validating", "safe_retreat"};
    int before = (int)careful_resume_rfc_9959_on_event(&resume, event->t_ns);
    struct drive_answer answer = dispatch(event);
    if (before != CAREFUL_RESUME_RFC_9959_NORMAL)
        answer = answer_of("careful_resume_rfc_9959", before);
    answer.phase = phases[resume.phase & 7];
    answer.next_release_ns = careful_resume_rfc_9959_next_release_ns(&resume);
    answer.triggers = resume.triggers;
    return answer;
}

int drive_holds(const struct drive_event *event) {
    return careful_resume_rfc_9959_invariant(&resume, event->t_ns);
}
