#include "careful_resume_rfc_9959.h"
#include "careful_resume_rfc_9959_invariant.h"
#include "proof.h"

enum { RUNS = 3 }; /* maximum per ACK */

static struct careful_resume_rfc_9959_window window;

static struct careful_resume_rfc_9959 any_state(uint64_t then) {
    struct careful_resume_rfc_9959 s;
    struct careful_resume_rfc_9959_window any;
    ASSUME(any.cwnd < WINDOW_END && (any.ssthresh < WINDOW_END || any.ssthresh == CAREFUL_RESUME_RFC_9959_NONE));
    ASSUME(then < TIME_END && careful_resume_rfc_9959_invariant(&s, then));
    window = any;
    return s;
}

static void prove_invariant(const struct careful_resume_rfc_9959 *s, uint64_t now) {
    PROVE(careful_resume_rfc_9959_invariant(s, now));
    PROVE(window.cwnd < WINDOW_END && (window.ssthresh < WINDOW_END || window.ssthresh == CAREFUL_RESUME_RFC_9959_NONE));
}

static int follows(uint64_t then, uint64_t now) { return now > 0 && then <= now && now < TIME_END; }

void prove_begin(uint32_t max_datagram_size, uint64_t initial_window) {
    struct careful_resume_rfc_9959 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && initial_window < WINDOW_END);
    careful_resume_rfc_9959_begin(&s, max_datagram_size, initial_window);
    prove_invariant(&s, 0);
}

void prove_on_event(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_event(&s, now);
    prove_invariant(&s, now);
}

void prove_on_saved_path(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_saved saved;
    ASSUME(follows(then, now) && careful_resume_rfc_9959_saved_invariant(&saved));
    careful_resume_rfc_9959_on_saved_path(&s, &saved, now);
    prove_invariant(&s, now);
}

void prove_on_backlog(uint64_t then, uint64_t now, uint64_t queued_bytes, uint64_t receive_window_bytes) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_backlog(&s, now, queued_bytes, receive_window_bytes, &window);
    prove_invariant(&s, now);
}

void prove_transmission_time(uint64_t then, uint64_t size) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(s.jump_cwnd > 0 && size < WINDOW_END);
    PROVE(careful_resume_rfc_9959_transmission_time(&s, size) <= CAREFUL_RESUME_RFC_9959_TIME_MAX);
}

/* Arguments and result of the last call, for the comparison with the port. */
static struct {
    uint64_t size, rtt, jump, time;
} time_of;

/* Contract proved by prove_transmission_time. */
uint64_t any_transmission_time(const struct careful_resume_rfc_9959 *s, uint64_t size) {
    uint64_t time;
    PROVE(s->jump_cwnd > 0 && size < WINDOW_END);
    ASSUME(time <= CAREFUL_RESUME_RFC_9959_TIME_MAX);
    time_of.size = size, time_of.rtt = s->paced_rtt, time_of.jump = s->jump_cwnd, time_of.time = time;
    return time;
}

void prove_next_release_ns(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    uint64_t release = careful_resume_rfc_9959_next_release_ns(&s);
    PROVE(release <= CAREFUL_RESUME_RFC_9959_TIME_MAX || release == CAREFUL_RESUME_RFC_9959_NONE);
}

/* Bytes sent before their first ACK are less than the largest window. */
void prove_on_sent(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_sent sent;
    ASSUME(follows(then, sent.now) && sent.first <= sent.last && sent.last < WINDOW_END && sent.bytes < ACK_END);
    ASSUME(sent.bytes < WINDOW_END - s.initial_data);
    careful_resume_rfc_9959_on_sent(&s, &sent, &window);
    prove_invariant(&s, sent.now);
}

static struct careful_resume_rfc_9959_run runs[RUNS];

static struct careful_resume_rfc_9959_ack any_ack(uint64_t then) {
    struct careful_resume_rfc_9959_ack ack;
    ASSUME(follows(then, ack.now) && ack.bytes < ACK_END && ack.run_count >= 1 && ack.run_count <= RUNS);
    ASSUME(ack.rtt < TIME_END || ack.rtt == CAREFUL_RESUME_RFC_9959_NONE);
    for (int i = 0; i < RUNS; i++) {
        struct careful_resume_rfc_9959_run run;
        ASSUME(run.first <= run.last && run.last < WINDOW_END && run.last - run.first < SIZE_END - 1);
        ASSUME(run.size_bytes >= 1 && run.size_bytes < SIZE_END);
        runs[i] = run;
    }
    ack.runs = runs;
    return ack;
}

void prove_on_ack_in_reconnaissance(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_ack ack = any_ack(then);
    careful_resume_rfc_9959_on_ack_in_reconnaissance(&s, &ack, &window);
    prove_invariant(&s, ack.now);
}

/* Contract proved by prove_on_ack_in_reconnaissance. */
enum careful_resume_rfc_9959_outcome any_on_ack_in_reconnaissance(struct careful_resume_rfc_9959 *s,
                                                                 const struct careful_resume_rfc_9959_ack *ack,
                                                                 struct careful_resume_rfc_9959_window *changed) {
    enum careful_resume_rfc_9959_outcome outcome;
    (void)changed;
    prove_invariant(s, ack->now);
    *s = any_state(ack->now);
    return outcome;
}

void prove_on_ack(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_ack ack = any_ack(then);
    careful_resume_rfc_9959_on_ack(&s, &ack, &window);
    prove_invariant(&s, ack.now);
}

void prove_leave_safe_retreat(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    uint64_t before = window.ssthresh;
    careful_resume_rfc_9959_leave_safe_retreat(&s, &window);
    prove_invariant(&s, then);
    PROVE(window.ssthresh <= before);
}

/* Arguments and result of the last call, for the comparison with the port. */
static struct {
    uint64_t pipesize, numerator, denominator, before, after;
} left_with;

/* Contract proved by prove_leave_safe_retreat. */
void any_leave_safe_retreat(const struct careful_resume_rfc_9959 *s, struct careful_resume_rfc_9959_window *left) {
    uint64_t ssthresh;
    PROVE(s->saved.beta_denominator > 0);
    ASSUME(ssthresh < WINDOW_END || ssthresh == left->ssthresh);
    ASSUME(ssthresh <= left->ssthresh);
    left_with.pipesize = s->pipesize, left_with.numerator = s->saved.beta_numerator, left_with.denominator = s->saved.beta_denominator;
    left_with.before = left->ssthresh, left_with.after = ssthresh;
    left->ssthresh = ssthresh;
}

void prove_on_ack_in_normal_cc(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    uint64_t threshold;
    careful_resume_rfc_9959_on_ack_in_normal_cc(&s, &window, &threshold);
    prove_invariant(&s, then);
}

void prove_on_detected_congestion(uint64_t then, uint64_t now, uint64_t bytes_in_flight, uint32_t trigger) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_detected_congestion(&s, trigger, now, bytes_in_flight, &window);
    prove_invariant(&s, now);
}

void prove_on_path_change(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_on_path_change(&s, now, &window);
    prove_invariant(&s, now);
}

void prove_on_persistent_congestion(uint64_t then) {
    struct careful_resume_rfc_9959 s = any_state(then);
    careful_resume_rfc_9959_on_persistent_congestion(&s, &window);
    prove_invariant(&s, then);
}

void prove_leave_unvalidated_if(uint64_t then, uint64_t now) {
    struct careful_resume_rfc_9959 s = any_state(then);
    ASSUME(follows(then, now));
    careful_resume_rfc_9959_leave_unvalidated_if(&s, now, CAREFUL_RESUME_RFC_9959_NORMAL, 0, &window);
    prove_invariant(&s, now);
}

/* Equivalence of the port and the header in the profile of the RFC: from any two equivalent states the same ACK leads
 * to equivalent states. CASE is the phase at the ACK, which has one run of packets of SIZE bytes; in Reconnaissance one
 * packet. The growth of NewReno and the quotients of pacing and of Beta are abstract. Both implementations get the same
 * arbitrary growth for the same state, and the same arbitrary quotient for the same numbers. */
#include "firstflight/careful_resume/careful_resume.h"
#include "firstflight/careful_resume/pacing.h"
#include "firstflight/careful_resume/phases.h"
#include "firstflight/careful_resume/saved.h"
#include "firstflight/search/startup.h"
#define ff_newreno_on_event the_events_of_newreno
#include "firstflight/bases.c"
#include "firstflight/newreno/newreno.c"
#undef ff_newreno_on_event
#define ff_careful_resume_share the_share
#include "firstflight/careful_resume/state.c"
#undef ff_careful_resume_share
#define on_congestion on_congestion_in_retreat
#define on_lost on_lost_in_retreat
#define on_event port_on_event
#define observe port_observe
#include "firstflight/careful_resume/careful_resume.c"
#include "firstflight/careful_resume/pacing.c"
#include "firstflight/careful_resume/profiles.c"
#include "firstflight/careful_resume/saved.c"
#define on_ack on_ack_in_reconnaissance
#include "firstflight/careful_resume/reconnaissance.c"
#undef on_ack
#define on_ack on_ack_in_retreat
#define leave leave_retreat
#include "firstflight/careful_resume/retreat.c"
#undef on_ack
#undef leave
#define on_ack on_ack_in_unvalidated
#include "firstflight/careful_resume/unvalidated.c"
#undef on_ack
#define on_ack on_ack_in_validating
#include "firstflight/careful_resume/validating.c"
#undef on_ack

enum { SIZE = 1200 };
static struct ff_base_state grown;
static uint64_t grown_cwnd; /* the window after growth */

enum ff_outcome ff_newreno_on_event(struct ff_base_state *base, const struct ff_event *event) {
    (void)event;
    grown = *base;
    base->cwnd_bytes = grown_cwnd;
    return FF_OUTCOME_GROWN;
}

uint64_t ff_careful_resume_share(uint64_t value, uint64_t factor, uint64_t divisor, bool up) {
    uint64_t share;
    if (up) {
        PROVE(value == time_of.size && factor == time_of.rtt && divisor == time_of.jump);
        ASSUME((share < CAREFUL_RESUME_RFC_9959_TIME_MAX ? share : CAREFUL_RESUME_RFC_9959_TIME_MAX) == time_of.time);
    } else {
        PROVE(value == left_with.pipesize && factor == left_with.numerator && divisor == left_with.denominator);
        ASSUME((share < left_with.before ? share : left_with.before) == left_with.after);
    }
    return share;
}

static int windows_stand(const struct ff_base_state *base, const struct careful_resume_rfc_9959_window *one, uint64_t ssthresh) {
    return base->cwnd_bytes == one->cwnd && base->ssthresh_bytes == ssthresh &&
           base->recovery_start_ns == (one->recovery_start_time == 0 ? FF_NONE : one->recovery_start_time);
}

static int saved_stand(const struct careful_resume_rfc_9959_saved *saved, const struct ff_saved_path *used) {
    return used->saved_cwnd_bytes == saved->saved_cwnd && used->saved_rtt_ns == saved->saved_rtt && used->expires_t_ns == saved->expires &&
           used->max_jump_bytes == saved->max_jump && used->beta_numerator == saved->beta_numerator &&
           used->beta_denominator == saved->beta_denominator;
}

/* The header stores packet numbers plus 1, with 0 for none; FF_NO_PACKET + 1 is 0. */
static int marks_stand(const struct careful_resume_rfc_9959 *s, const struct ff_careful_resume_marks *marks) {
    return marks->sent + 1 == s->after_highest_sent && marks->acked + 1 == s->after_highest_acked &&
           marks->first_unvalidated + 1 == s->after_first_unvalidated_packet && marks->last_unvalidated + 1 == s->after_last_unvalidated_packet;
}

/* State that only Reconnaissance reads, before any pacing. */
static int reconnaissance_stands(const struct careful_resume_rfc_9959 *s, const struct ff_careful_resume *port) {
    int measured = port->rtt.phase_minimum_ns == s->minimum_rtt && (s->minimum_rtt == FF_NO_RTT_NS || port->rtt.latest_ns != FF_NO_RTT_NS);
    return port->initial.first == s->first_initial_packet && port->initial.last + 1 == s->after_last_initial_packet &&
           port->initial.left_bytes == s->initial_data && s->after_last_initial_packet <= s->after_highest_sent && measured && s->paced == 0 && s->after_first_unvalidated_packet == 0 &&
           s->after_last_unvalidated_packet == 0;
}

/* State that only the Unvalidated Phase reads. Until a packet is sent in the phase, the flight does not exceed
 * PipeSize. None of its packets is acknowledged, since an acknowledgement ends the phase. */
static int unvalidated_stands(const struct careful_resume_rfc_9959 *s, const struct ff_careful_resume *port) {
    const struct ff_careful_resume_schedule *schedule = &port->schedule;
    return port->limit_from_ns == s->entry_ns && schedule->t_ns == s->paced_from_ns && schedule->bytes == s->paced &&
           schedule->rtt_ns == s->paced_rtt && s->after_highest_sent > 0 && port->rtt.latest_ns != FF_NO_RTT_NS && port->jump_bytes == s->jump_cwnd &&
           (s->after_last_unvalidated_packet > 0 || s->flight_size <= s->pipesize) &&
           (s->after_first_unvalidated_packet == 0 || s->after_first_unvalidated_packet > s->after_highest_acked);
}

static int phases_stand(const struct careful_resume_rfc_9959 *s, const struct ff_careful_resume *port) {
    switch (s->phase) {
    case CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE:
        return port->phase == FF_PHASE_RECONNAISSANCE && s->resumed && reconnaissance_stands(s, port);
    case CAREFUL_RESUME_RFC_9959_PHASE_UNVALIDATED:
        return port->phase == FF_PHASE_UNVALIDATED && s->resumed && port->pipesize_bytes == s->pipesize && unvalidated_stands(s, port);
    case CAREFUL_RESUME_RFC_9959_PHASE_VALIDATING:
        return port->phase == FF_PHASE_VALIDATING && s->resumed && port->pipesize_bytes == s->pipesize && s->after_last_unvalidated_packet > 0;
    case CAREFUL_RESUME_RFC_9959_PHASE_SAFE_RETREAT:
        return port->phase == FF_PHASE_SAFE_RETREAT && s->resumed && port->pipesize_bytes == s->pipesize && s->after_last_unvalidated_packet > 0;
    default:
        return port->phase == FF_PHASE_NORMAL;
    }
}

static int stand_for_each_other(const struct careful_resume_rfc_9959 *s, const struct ff_careful_resume *port, const struct ff_base_state *base) {
    int sizes = base->max_datagram_size_bytes == s->max_datagram_size && port->initial_window_bytes == s->initial_window &&
                port->flight_bytes == s->flight_size && port->backlog_bytes == s->waiting;
    int rtt = s->current_rtt == (port->rtt.latest_ns == FF_NO_RTT_NS ? 0 : port->rtt.latest_ns);
    int once = s->resumed ? saved_stand(&s->saved, &port->used) && s->saved.saved_cwnd > 0 : port->used.saved_cwnd_bytes == 0;
    return windows_stand(base, &window, window.ssthresh) && sizes && rtt && once && marks_stand(s, &port->marks) && phases_stand(s, port);
}

static const struct ff_careful_resume_readings *in_the_text(void) {
    return &ff_careful_resume_profiles[FF_CAREFUL_RESUME_PROFILE_RFC_9959].readings;
}

void prove_begin_as_the_port(uint32_t max_datagram_size) {
    struct careful_resume_rfc_9959 s;
    struct ff_careful_resume port;
    struct ff_base_state base;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END && base.max_datagram_size_bytes == max_datagram_size);
    ASSUME(windows_stand(&base, &window, window.ssthresh));
    careful_resume_rfc_9959_begin(&s, max_datagram_size, base.cwnd_bytes);
    ff_careful_resume_begin(&port, &base);
    PROVE(stand_for_each_other(&s, &port, &base));
}

/* An event of one run in the form of the port and of the header; bytes in flight do not increase. */
static struct ff_run acked;
static struct careful_resume_rfc_9959_run run;

static struct ff_event event_of(uint64_t then, const struct careful_resume_rfc_9959 *s, struct careful_resume_rfc_9959_ack *ack) {
    struct ff_event event;
    struct ff_run any;
    ASSUME(follows(then, event.t_ns) && event.ack.bytes < ACK_END && event.ack.bytes_in_flight <= s->flight_size);
    ASSUME(event.ack.latest_rtt_ns < TIME_END || event.ack.latest_rtt_ns == FF_NO_RTT_NS);
    ASSUME(any.first <= any.last && any.last < WINDOW_END && any.last - any.first < SIZE_END - 1);
    any.size_bytes = SIZE;
    if (CASE == CAREFUL_RESUME_RFC_9959_PHASE_RECONNAISSANCE)
        any.last = any.first;
    acked = any;
    run.first = any.first;
    run.last = any.last;
    run.size_bytes = SIZE;
    event.kind = FF_EVENT_ACK;
    event.ack.packets = &acked;
    event.ack.run_count = 1;
    ack->now = event.t_ns;
    ack->bytes = event.ack.bytes;
    ack->bytes_in_flight = event.ack.bytes_in_flight;
    ack->rtt = event.ack.latest_rtt_ns;
    ack->runs = &run;
    ack->run_count = 1;
    return event;
}

/* Calls of the header as in drive_careful_resume_rfc_9959.c. */
void prove_on_ack_as_the_port(uint64_t then, uint64_t any_cwnd) {
    static const enum ff_phase phases[] = {FF_PHASE_NORMAL, FF_PHASE_RECONNAISSANCE, FF_PHASE_UNVALIDATED, FF_PHASE_VALIDATING,
                                           FF_PHASE_SAFE_RETREAT};
    struct careful_resume_rfc_9959 s = any_state(then);
    struct careful_resume_rfc_9959_ack ack;
    struct ff_careful_resume port;
    struct ff_base_state base;
    uint64_t threshold;
    ASSUME((int)s.phase == CASE && stand_for_each_other(&s, &port, &base) && any_cwnd < WINDOW_END);
    s.phase = (enum careful_resume_rfc_9959_phase)CASE;
    port.phase = phases[CASE];
    base.base = FF_BASE_NEWRENO;
    struct ff_event event = event_of(then, &s, &ack);
    struct careful_resume_rfc_9959_window before = window;
    grown_cwnd = any_cwnd;
    careful_resume_rfc_9959_on_event(&s, event.t_ns);
    int grows = careful_resume_rfc_9959_on_ack_in_normal_cc(&s, &window, &threshold);
    if (grows)
        window.cwnd = grown_cwnd;
    careful_resume_rfc_9959_on_ack(&s, &ack, &window);
    ff_careful_resume_step(in_the_text(), &port, NULL, &base, &event, NULL);
    PROVE(stand_for_each_other(&s, &port, &base));
    PROVE(!grows || windows_stand(&grown, &before, threshold));
}
