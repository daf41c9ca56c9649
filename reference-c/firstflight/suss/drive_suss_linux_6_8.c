#include "suss_linux_6_8.h"
#include "base.h"
#include "suss_linux_6_8_invariant.h"

static struct suss_linux_6_8 suss;
const size_t drive_state_bytes = sizeof suss;

void drive_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    newreno_rfc_9002_begin(&base, max_datagram_size, initial_window);
    suss_linux_6_8_begin(&suss, max_datagram_size);
}

static struct suss_linux_6_8_window window_of_base(void) {
    int in_slow_start = !base.in_recovery && newreno_rfc_9002_in_slow_start(&base);
    struct suss_linux_6_8_window window = {base.congestion_window, base.ssthresh, in_slow_start};
    return window;
}

static void to_base(const struct suss_linux_6_8_window *window) {
    set_window(window->cwnd);
    base.ssthresh = window->ssthresh;
}

static uint64_t in_flight_after(const struct drive_event *event) {
    return suss_linux_6_8_min(event->bytes_in_flight, SUSS_LINUX_6_8_WINDOW_MAX);
}

DRIVE_MEASURED static int header_on_ack(const struct drive_event *event, struct suss_linux_6_8_window *window) {
    uint64_t largest = last_of(event)->last;
    int outcome = SUSS_LINUX_6_8_NOTHING;
    suss.in_flight = in_flight_after(event);
    if (event->latest_rtt_ns != DRIVE_NONE)
        outcome = (int)suss_linux_6_8_acked(&suss, event->t_ns, event->latest_rtt_ns, largest, event->next_packet, window);
    if (suss_linux_6_8_is_active(&suss) && suss.cap == SUSS_LINUX_6_8_NONE)
        outcome = (int)suss_linux_6_8_measurements(&suss, event->t_ns, largest, event->next_packet, packets_of(event), event->bytes, window);
    return outcome;
}

static struct drive_answer on_ack(const struct drive_event *event) {
    struct suss_linux_6_8_window window = window_of_base();
    int outcome = header_on_ack(event, &window);
    to_base(&window);
    struct drive_answer answer = base_on_event(event);
    window = window_of_base();
    suss_linux_6_8_keep_minimum(&suss, &window);
    to_base(&window);
    return outcome == SUSS_LINUX_6_8_NOTHING ? answer_of(answer.header, answer.outcome) : answer_of("suss_linux_6_8", outcome);
}

static struct drive_answer on_sent(const struct drive_event *event) {
    struct suss_linux_6_8_window window = window_of_base();
    uint64_t last = last_of(event)->last;
    int outcome = (int)suss_linux_6_8_on_sent(&suss, event->t_ns, last, event->bytes, event->bytes_in_flight, &window);
    to_base(&window);
    return outcome == SUSS_LINUX_6_8_NOTHING ? base_on_event(event) : answer_of("suss_linux_6_8", outcome);
}

/* Process losses and CE marks; the controller decides whether they begin a recovery period. */
static struct drive_answer on_congestion(const struct drive_event *event, uint64_t sent_time) {
    struct suss_linux_6_8_window window = window_of_base();
    if (event->kind == LOST)
        suss.in_flight = in_flight_after(event);
    if (sent_time > base.congestion_recovery_start_time)
        suss_linux_6_8_init_cwnd_reduction(&suss, &window);
    to_base(&window);
    return base_on_event(event);
}

struct drive_answer drive_on_event(const struct drive_event *event) {
    struct drive_answer answer;
    if (event->kind == PERSISTENT_CONGESTION)
        suss_linux_6_8_enter_loss(&suss, event->t_ns, base.congestion_window);
    if (event->kind == ACK)
        answer = on_ack(event);
    else if (event->kind == SENT)
        answer = on_sent(event);
    else if (event->kind == LOST)
        answer = on_congestion(event, latest_sent(event));
    else if (event->kind == CE)
        answer = on_congestion(event, event->sent_t_ns);
    else
        answer = base_on_event(event);
    answer.next_release_ns = suss_linux_6_8_next_release_ns(&suss);
    return answer;
}

int drive_holds(const struct drive_event *event) {
    (void)event;
    return suss_linux_6_8_invariant(&suss);
}
