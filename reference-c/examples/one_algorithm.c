/*
 * Only one algorithm of the library: HyStart++ on NewReno, on 25 MB/s and 100 ms. C11 and C++17.
 *
 * ff_controller refers to every algorithm by name, so the linker includes all of them. This program calls one package
 * directly and checks events itself; with --gc-sections the linker omits the rest.
 *
 *     cc -Wl,--gc-sections one_algorithm.c $(pkg-config --cflags --libs firstflight)
 */
#include <firstflight/events.h>
#include <firstflight/hystartpp/hystartpp.h>
#include <firstflight/hystartpp/profiles.h>
#include <firstflight/newreno/newreno.h>
#include <stdio.h>
#include <string.h>

#include "path.h"

static const struct ff_hystartpp_readings *const readings = &ff_hystartpp_profiles[FF_HYSTARTPP_PROFILE_RFC_9406].readings;
static struct path path;
static struct ff_base_state base;
static struct ff_hystartpp hystartpp;
static struct ff_observation observed;

static int step(const struct ff_event *event)
{
    if (ff_event_check(event) != FF_OK) { /* the packages trust their arguments */
        fprintf(stderr, "refused\n");
        return 0;
    }
    ff_hystartpp_step(readings, &hystartpp, &base, event, &observed);
    return 1;
}

static int on_sent(uint64_t now_ns, uint64_t first, uint64_t count)
{
    struct ff_run run;
    struct ff_event event;

    memset(&event, 0, sizeof event);
    run.first = first;
    run.last = first + count - 1;
    run.size_bytes = PATH_BYTES;
    run.sent_t_ns = now_ns;
    event.kind = FF_EVENT_SENT;
    event.t_ns = now_ns;
    event.sent.packets = &run;
    event.sent.run_count = 1;
    event.sent.bytes = count * PATH_BYTES;
    event.sent.bytes_in_flight = path_in_flight(&path);
    return step(&event);
}

static int on_ack(uint64_t now_ns, uint64_t packet)
{
    struct ff_run run;
    struct ff_event event;

    event = ff_event_empty(FF_EVENT_ACK, now_ns);
    run.first = run.last = packet;
    run.size_bytes = PATH_BYTES;
    run.sent_t_ns = path_sent_ns(&path, packet);
    event.ack.packets = &run;
    event.ack.run_count = 1;
    event.ack.bytes = PATH_BYTES;
    event.ack.bytes_in_flight = path_in_flight(&path);
    event.ack.next_packet = path.next;
    event.ack.latest_rtt_ns = now_ns - run.sent_t_ns;
    event.ack.min_rtt_ns = event.ack.smoothed_rtt_ns = event.ack.latest_rtt_ns; /* HyStart++ takes the latest; a stack has its estimator */
    return step(&event);
}

int main(void)
{
    uint64_t now_ns = UINT64_C(1000000000), cwnd = 10 * PATH_BYTES;

    path_begin(&path, 25000000, 100000000, now_ns);
    ff_newreno_begin(&base, PATH_BYTES, 0);
    ff_hystartpp_begin(readings, &hystartpp, &base);
    while (now_ns < UINT64_C(4000000000)) {
        uint64_t sent = path_send(&path, now_ns, cwnd);

        if (sent > 0 && !on_sent(now_ns, path.next - sent, sent)) {
            return 1;
        }
        now_ns = path_next_ack(&path);
        if (!on_ack(now_ns, path.oldest - 1)) {
            return 1;
        }
        cwnd = observed.cwnd_bytes;
        if (observed.outcome == FF_OUTCOME_CONSERVATIVE_BEGUN) {
            printf("HyStart++ slows down after %llu ms, with %llu bytes; the path holds 2500000\n",
                   (unsigned long long)(now_ns / 1000000 - 1000), (unsigned long long)cwnd);
            return 0;
        }
    }
    puts("HyStart++ did not slow down");
    return 1;
}
