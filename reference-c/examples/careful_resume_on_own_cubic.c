/*
 * Careful Resume (RFC 9959) on your own CUBIC, by the plain header: nothing to link. C11 and C++17.
 *
 *     cc careful_resume_on_own_cubic.c $(pkg-config --cflags firstflight)
 */
#include <firstflight/plain/careful_resume_rfc_9959.h>
#include <stdio.h>

#include "own_cubic.h"
#include "path.h"

static struct path path;
static struct own_cubic cubic;
static struct careful_resume_rfc_9959 resume;

/* The window goes into Careful Resume before each call, and out of it after the call. */
static struct careful_resume_rfc_9959_window lent(void)
{
    struct careful_resume_rfc_9959_window window;

    window.cwnd = cubic.cwnd;
    window.ssthresh = cubic.ssthresh;
    window.recovery_start_time = cubic.recovery_start_ns;
    return window;
}

static void taken_back(const struct careful_resume_rfc_9959_window *window)
{
    cubic.cwnd = window->cwnd;
    cubic.ssthresh = window->ssthresh;
    cubic.recovery_start_ns = window->recovery_start_time;
}

static void on_sent(uint64_t now_ns, uint64_t count)
{
    struct careful_resume_rfc_9959_window window = lent();
    struct careful_resume_rfc_9959_sent sent;

    sent.now = now_ns;
    sent.first = path.next - count;
    sent.last = path.next - 1;
    sent.bytes = count * PATH_BYTES;
    sent.bytes_in_flight = path_in_flight(&path);
    sent.app_limited = 0;
    careful_resume_rfc_9959_on_event(&resume, now_ns);
    careful_resume_rfc_9959_on_sent(&resume, &sent, &window);
    taken_back(&window);
}

static void on_ack(uint64_t now_ns, uint64_t packet)
{
    struct careful_resume_rfc_9959_window window = lent();
    struct careful_resume_rfc_9959_run run;
    struct careful_resume_rfc_9959_ack ack;

    careful_resume_rfc_9959_on_event(&resume, now_ns);
    if (careful_resume_rfc_9959_on_ack_in_normal_cc(&resume, &window, &cubic.ssthresh)) {
        own_cubic_on_ack(&cubic, PATH_BYTES, path_sent_ns(&path, packet), now_ns); /* with the threshold it was given */
    }
    cubic.ssthresh = window.ssthresh;
    window = lent();
    run.first = run.last = packet;
    run.size_bytes = PATH_BYTES;
    ack.now = now_ns;
    ack.bytes = PATH_BYTES;
    ack.bytes_in_flight = path_in_flight(&path);
    ack.rtt = now_ns - path_sent_ns(&path, packet);
    ack.runs = &run;
    ack.run_count = 1;
    careful_resume_rfc_9959_on_ack(&resume, &ack, &window);
    taken_back(&window);
}

/* The window and RTT of the last connection, and all the data that there is. */
static void begin(uint64_t now_ns)
{
    struct careful_resume_rfc_9959_saved saved;
    struct careful_resume_rfc_9959_window window;

    saved.saved_cwnd = 2000000;
    saved.saved_rtt = 100000000;
    saved.expires = saved.max_jump = CAREFUL_RESUME_RFC_9959_NONE;
    saved.beta_numerator = 1;
    saved.beta_denominator = 2;
    saved.endpoint_matches = 1;
    saved.in_use = 0;
    careful_resume_rfc_9959_begin(&resume, PATH_BYTES, cubic.cwnd);
    careful_resume_rfc_9959_on_event(&resume, now_ns);
    careful_resume_rfc_9959_on_saved_path(&resume, &saved, now_ns);
    window = lent();
    careful_resume_rfc_9959_on_backlog(&resume, now_ns, 20000000, 20000000, &window);
    taken_back(&window);
}

int main(void)
{
    static const char *const phases[] = {"normal", "reconnaissance", "unvalidated", "validating", "safe retreat"};
    uint64_t now_ns = UINT64_C(1000000000);
    enum careful_resume_rfc_9959_phase before = CAREFUL_RESUME_RFC_9959_PHASE_NORMAL;
    int validated = 0;

    path_begin(&path, 25000000, 100000000, now_ns);
    own_cubic_begin(&cubic, PATH_BYTES);
    begin(now_ns);
    while (now_ns < UINT64_C(2000000000)) {
        uint64_t release_ns = careful_resume_rfc_9959_next_release_ns(&resume); /* NONE: nothing is paced */
        int paced = release_ns != CAREFUL_RESUME_RFC_9959_NONE;
        uint64_t ack_ns = path.oldest < path.next ? path.acked_ns[path.oldest % PATH_PACKETS] : UINT64_MAX;

        if (path_in_flight(&path) + PATH_BYTES <= cubic.cwnd && (!paced || release_ns <= ack_ns)) {
            uint64_t one_more = path_in_flight(&path) + PATH_BYTES;

            now_ns = paced && release_ns > now_ns ? release_ns : now_ns;
            on_sent(now_ns, path_send(&path, now_ns, paced ? one_more : cubic.cwnd));
        } else {
            now_ns = path_next_ack(&path);
            on_ack(now_ns, path.oldest - 1);
        }
        if (resume.phase != before) {
            before = resume.phase;
            printf("%4llu ms: %s, with %llu bytes\n", (unsigned long long)(now_ns / 1000000 - 1000), phases[before],
                   (unsigned long long)cubic.cwnd);
            validated |= before == CAREFUL_RESUME_RFC_9959_PHASE_VALIDATING;
        }
    }
    return !validated;
}
