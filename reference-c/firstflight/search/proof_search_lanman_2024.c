#include "search_lanman_2024.h"
#include "search_lanman_2024_invariant.h"
#include "proof.h"

static struct search_lanman_2024 any_state(uint64_t then) {
    struct search_lanman_2024 s;
    ASSUME(then < TIME_END && search_lanman_2024_clock_invariant(&s, then) && search_lanman_2024_ring_invariant(&s));
    return s;
}

static void prove_invariant(const struct search_lanman_2024 *s, uint64_t now_ns) {
    PROVE(search_lanman_2024_clock_invariant(s, now_ns));
    PROVE(search_lanman_2024_ring_invariant(s));
}

void prove_begin(void) {
    struct search_lanman_2024 s;
    search_lanman_2024_begin(&s);
    prove_invariant(&s, 0);
}

void prove_rtt(uint64_t then, uint64_t rtt_ns) {
    struct search_lanman_2024 s = any_state(then);
    ASSUME(rtt_ns < TIME_END);
    search_lanman_2024_rtt(&s, rtt_ns);
    prove_invariant(&s, then);
}

void prove_restart(uint64_t then) {
    struct search_lanman_2024 s = any_state(then);
    search_lanman_2024_restart(&s);
    prove_invariant(&s, then);
}

void prove_end_bins(uint64_t then, uint64_t now_ns) {
    struct search_lanman_2024 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && s.bin_duration > 0 && now_ns > s.bin_end_ns);
    search_lanman_2024_end_bins(&s, 20 * now_ns);
    prove_invariant(&s, now_ns);
}

/* Contract proved by prove_end_bins. */
void any_end_bins(struct search_lanman_2024 *s, uint64_t now) {
    struct search_lanman_2024 after = any_state(now / 20);
    PROVE(s->bin_duration > 0 && now / 20 > s->bin_end_ns);
    ASSUME(after.bin_duration == s->bin_duration && after.rtt_ns == s->rtt_ns);
    *s = after;
}

void prove_delivered(uint64_t then, uint64_t first, uint64_t end) {
    struct search_lanman_2024 s = any_state(then);
    ASSUME(s.bin_duration > 0 && first <= end && end - first <= 10 && end <= s.curr && s.curr - first <= 25);
    PROVE(search_lanman_2024_delivered(&s, first, end) <= 10 * SEARCH_LANMAN_2024_BIN_LIMIT);
}

/* Contract proved by prove_delivered. */
uint64_t any_delivered(const struct search_lanman_2024 *s, uint64_t first, uint64_t end) {
    uint64_t sum;
    PROVE(s->bin_duration > 0 && first <= end && end - first <= 10 && end <= s->curr && s->curr - first <= 25);
    ASSUME(sum <= 10 * SEARCH_LANMAN_2024_BIN_LIMIT);
    return sum;
}

void prove_on_ack(uint64_t then, uint64_t now_ns, uint64_t bytes, uint64_t cwnd, uint64_t minimum_window) {
    struct search_lanman_2024 s = any_state(then);
    uint64_t held = now_ns <= s.bin_end_ns ? s.open_bytes : 0;
    ASSUME(now_ns < TIME_END && now_ns >= then && now_ns > 0 && cwnd < WINDOW_END && minimum_window < WINDOW_END);
    ASSUME(bytes < SEARCH_LANMAN_2024_BIN_LIMIT - held);
    search_lanman_2024_on_ack(&s, now_ns, bytes, &cwnd, minimum_window);
    prove_invariant(&s, now_ns);
    PROVE(cwnd < WINDOW_END);
}

/* Equivalence of port and header in the profile of the paper: the same ACK maps equivalent states to equivalent states.
 * The growth of NewReno is a stub that records the state of the base controller at the call. */
#include "firstflight/search/startup.h"
#define ff_newreno_on_ack the_growth_of_newreno
#include "firstflight/bases.c"
#include "firstflight/newreno/newreno.c"
#undef ff_newreno_on_ack
#define ff_search_advance the_advance
#define ff_search_evaluate the_evaluation
#define ff_search_passed_bins the_passed_bins
#include "firstflight/search/bins.c"
#include "firstflight/search/exit.c"
#define ff_search_gate_ns the_gate_ns
#include "firstflight/search/layout.c"
#undef ff_search_gate_ns
#include "firstflight/search/profiles.c"
#include "firstflight/search/rtt.c"
#include "firstflight/search/windows.c"
#undef ff_search_advance
#undef ff_search_evaluate
#undef ff_search_passed_bins
#include "firstflight/search/search.c"
#include "firstflight/search/startup.c"
#include "firstflight/u128.c"
#include "firstflight/wide.c"

enum { KEPT = 24 }; /* bins stored by the port, in slots of seven bytes */

/* Not called, because no bin ends. */
void ff_search_advance(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns) {
    (void)readings, (void)state, (void)t_ns;
    PROVE(0);
}

uint64_t ff_search_passed_bins(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t t_ns) {
    (void)readings, (void)state, (void)t_ns;
    PROVE(0);
    return 1;
}

enum ff_outcome ff_search_evaluate(const struct ff_search_readings *readings, const struct ff_search *state,
                                   struct ff_search_evaluation *evaluation) {
    (void)readings, (void)state, (void)evaluation;
    PROVE(0);
    return FF_OUTCOME_WARMING_UP;
}

enum search_lanman_2024_outcome any_search(struct search_lanman_2024 *s, uint64_t now_ns, uint64_t bytes, uint64_t *cwnd,
                                           uint64_t minimum_window) {
    (void)s, (void)now_ns, (void)bytes, (void)cwnd, (void)minimum_window;
    PROVE(0);
    return SEARCH_LANMAN_2024_WARMING_UP;
}

/* The bin that the header has opened. */
static uint64_t opened_end, opened_end_ns;

/* Contract proved by prove_gate_as_the_port, for the bin opened by the header. Without an open bin the gate is 0. */
uint64_t ff_search_gate_ns(const struct ff_search_readings *readings, uint64_t bin_end_ticks) {
    (void)readings;
    PROVE(bin_end_ticks == opened_end);
    return opened_end_ns + 1;
}

/* The state of the port in this profile, in the layout of layout.h. */
struct ported {
    struct ff_search search;
    uint8_t slots[KEPT * FF_SEARCH_BIN_BYTES];
};


static struct ff_base_state grown;
static int growths;

enum ff_outcome ff_newreno_on_ack(struct ff_base_state *base, uint64_t t_ns, const struct ff_ack *ack) {
    (void)t_ns, (void)ack;
    grown = *base;
    growths++;
    return FF_OUTCOME_GROWN;
}

static const struct ff_search_readings *in_the_paper(void) {
    return &ff_search_profiles[FF_SEARCH_PROFILE_LANMAN_2024].readings;
}

static int clocks_stand(const struct search_lanman_2024 *s, const struct ff_search *port) {
    if (s->bin_duration == 0)
        return port->gate_ns == 0 && port->bin_ticks == 0;
    return port->gate_ns == s->bin_end_ns + 1 && port->bin_ticks == s->bin_duration && port->curr == s->curr;
}

static int stand_for_each_other(const struct search_lanman_2024 *s, const struct ff_search *port) {
    uint64_t latest_ns = port->sample.latest_ns;
    int sample = s->rtt_ns == 0 ? latest_ns == FF_NO_RTT_NS : s->rtt_ns == (latest_ns > 0 ? latest_ns : 1);
    const struct ff_search_series *series = &port->delivered;
    return sample && clocks_stand(s, port) && (s->bin_duration == 0 || s->open_bytes == series->counter_bytes - series->opened_bytes);
}

static int windows_stand(const struct ff_base_state *base, uint64_t cwnd, uint64_t ssthresh) {
    return base->cwnd_bytes == cwnd && base->ssthresh_bytes == ssthresh;
}

static struct ff_base_state any_base(void) {
    struct ff_base_state base;
    ASSUME(base.cwnd_bytes < WINDOW_END && (base.ssthresh_bytes < WINDOW_END || base.ssthresh_bytes == FF_SSTHRESH_INFINITE));
    ASSUME(base.max_datagram_size_bytes >= 1 && base.max_datagram_size_bytes < SIZE_END && base.base == FF_BASE_NEWRENO);
    return base;
}

static struct ff_event any_ack(uint64_t then) {
    struct ff_event event;
    ASSUME(event.t_ns > 0 && event.t_ns >= then && event.t_ns < TIME_END);
    ASSUME(event.ack.bytes < ACK_END && (event.ack.latest_rtt_ns < TIME_END || event.ack.latest_rtt_ns == FF_NO_RTT_NS));
    event.kind = FF_EVENT_ACK;
    return event;
}

/* Call the header as drive_search_lanman_2024.c does; return whether the window grows. */
static int in_the_header(struct search_lanman_2024 *s, const struct ff_base_state *base, const struct ff_event *event, uint64_t *cwnd,
                         uint64_t *ssthresh) {
    if (event->ack.latest_rtt_ns != FF_NO_RTT_NS)
        search_lanman_2024_rtt(s, event->ack.latest_rtt_ns);
    if (base->in_recovery || *cwnd >= *ssthresh)
        return 1;
    uint64_t minimum_window = 2 * base->max_datagram_size_bytes;
    if (search_lanman_2024_on_ack(s, event->t_ns, event->ack.bytes, cwnd, minimum_window) != SEARCH_LANMAN_2024_EXITED)
        return 1;
    *ssthresh = *cwnd;
    return 0;
}

void prove_begin_as_the_port(void) {
    struct search_lanman_2024 s;
    struct ported port;
    search_lanman_2024_begin(&s);
    ff_search_begin(in_the_paper(), &port.search);
    PROVE(stand_for_each_other(&s, &port.search));
}

void prove_restart_as_the_port(uint64_t then) {
    struct search_lanman_2024 s = any_state(then);
    struct ported port;
    ASSUME(stand_for_each_other(&s, &port.search));
    search_lanman_2024_restart(&s);
    ff_search_on_persistent_congestion(in_the_paper(), &port.search);
    PROVE(stand_for_each_other(&s, &port.search));
}

/* The gate of the port is the first ns after the end of the bin. */
void prove_gate_as_the_port(uint64_t bin_end) {
    ASSUME(bin_end < UINT64_C(27) << 59);
    PROVE(the_gate_ns(in_the_paper(), bin_end) == bin_end / 20 + 1);
}

/* Process an ACK, in slow start or not, that ends no bin. */
static void same_ack(struct search_lanman_2024 *s, struct ff_search *port, uint64_t then, uint64_t *now_ns) {
    struct ff_base_state base = any_base();
    struct ff_event event = any_ack(then);
    uint64_t cwnd = base.cwnd_bytes, ssthresh = base.ssthresh_bytes;
    ASSUME(ff_search_has_room(&port->delivered, event.ack.bytes) && (s->bin_duration == 0 || event.t_ns <= s->bin_end_ns));
    *now_ns = event.t_ns;
    int grows_there = in_the_header(s, &base, &event, &cwnd, &ssthresh);
    opened_end = s->bin_end, opened_end_ns = s->bin_end_ns;
    ff_search_startup_step(in_the_paper(), port, &base, &event, NULL);
    PROVE(stand_for_each_other(s, port) && windows_stand(&base, cwnd, ssthresh));
    PROVE(growths == grows_there && (!growths || windows_stand(&grown, cwnd, ssthresh)));
}

/* Before the first bin: the ACK may open it. */
void prove_first_bin_as_the_port(uint64_t then) {
    struct search_lanman_2024 s;
    struct ported port;
    uint64_t now_ns;
    ASSUME(then < TIME_END && s.bin_duration == 0 && search_lanman_2024_clock_invariant(&s, then) && stand_for_each_other(&s, &port.search));
    s.bin_duration = s.bin_end_ns = port.search.gate_ns = port.search.bin_ticks = 0;
    same_ack(&s, &port.search, then, &now_ns);
    PROVE(s.bin_duration == 0 || (s.curr == 0 && s.bin_duration == 7 * s.rtt_ns && s.bin_end == 20 * now_ns + s.bin_duration));
}

/* With an open bin: the bytes of ended bins stay unchanged. */
void prove_same_bin_as_the_port(uint64_t then, uint64_t bin, uint64_t slot) {
    struct search_lanman_2024 s, before;
    struct ported port;
    uint64_t now_ns;
    ASSUME(then < TIME_END && s.bin_duration > 0 && search_lanman_2024_clock_invariant(&s, then) && stand_for_each_other(&s, &port.search));
    ASSUME(bin < SEARCH_LANMAN_2024_TOTAL_BINS && slot < KEPT * FF_SEARCH_BIN_BYTES);
    before = s;
    uint8_t in_slot = port.slots[slot];
    same_ack(&s, &port.search, then, &now_ns);
    PROVE(s.bin_end == before.bin_end && s.bin_duration == before.bin_duration && s.curr == before.curr);
    PROVE(s.bins[bin] == before.bins[bin] && port.slots[slot] == in_slot);
}
