/*
 * The adapter conversation of spec/adapter-protocol.md as four C functions, and a fifth for computations.
 *
 * A shared object that exports them is judged with `firstflight run --adapter path/to/lib.so`; linked with
 * conformance/adapters/c/stdio_host.c and json_lines.c they make a program that speaks JSON lines.
 *
 * This header needs nothing else of Firstflight. Everything that is passed in is borrowed for the length of the call.
 */
#ifndef FIRSTFLIGHT_ADAPTER_H
#define FIRSTFLIGHT_ADAPTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the protocol; the member "protocol" of the hello answer. */
#define FIRSTFLIGHT_ADAPTER_PROTOCOL 1

/* A number that is not there: an RTT without sample, an infinite ssthresh. */
#define FIRSTFLIGHT_NONE UINT64_MAX

/* Numbers of `state` that an adapter may report. */
#define FIRSTFLIGHT_STATE_MAX 16

/* Outputs of a computation. */
#define FIRSTFLIGHT_OUTPUTS_MAX 8

/* What firstflight_adapter_event returns. */
#define FIRSTFLIGHT_OBSERVED 0
#define FIRSTFLIGHT_UNSUPPORTED 1 /* an unknown kind of event, or one outside the adapter's domain */
#define FIRSTFLIGHT_FAULT 2       /* it cannot go on; the case is errored */

/* What firstflight_adapter_compute returns besides FIRSTFLIGHT_UNSUPPORTED and FIRSTFLIGHT_FAULT. */
#define FIRSTFLIGHT_COMPUTED 0
#define FIRSTFLIGHT_REFUSED 3 /* the inputs lie outside the domain */

/* Kinds of event (spec/events.md). More may follow in later versions: answer FIRSTFLIGHT_UNSUPPORTED to the others. */
#define FIRSTFLIGHT_EVENT_SENT 0
#define FIRSTFLIGHT_EVENT_ACK 1
#define FIRSTFLIGHT_EVENT_LOST 2
#define FIRSTFLIGHT_EVENT_CE 3
#define FIRSTFLIGHT_EVENT_PERSISTENT_CONGESTION 4
#define FIRSTFLIGHT_EVENT_PTO 5
#define FIRSTFLIGHT_EVENT_BACKLOG 6
#define FIRSTFLIGHT_EVENT_IDLE_RESTART 7
#define FIRSTFLIGHT_EVENT_SAVED_PATH 8
#define FIRSTFLIGHT_EVENT_PATH_CHANGE 9
#define FIRSTFLIGHT_EVENT_SPURIOUS_LOSS 10

/* The `start` message. */
struct firstflight_case {
    const char *id;
    const char *algorithm;
    const char *profile;
    uint64_t max_datagram_size_bytes;
    uint64_t initial_window_bytes; /* 0: the recommended one (null in JSON) */
};

/* Consecutive packets first..last of one size that were sent at one time; in a `sent` event the time of the event. */
struct firstflight_run {
    uint64_t first;
    uint64_t last;
    uint64_t size_bytes;
    uint64_t sent_t_ns;
};

/* Packets first..last, whose data a `sent` event repeats. */
struct firstflight_range {
    uint64_t first;
    uint64_t last;
};

/* One event. A member that the kind does not have is 0; an RTT or packet number that is not there is FIRSTFLIGHT_NONE. */
struct firstflight_event {
    uint32_t kind; /* FIRSTFLIGHT_EVENT_... */
    uint32_t app_limited;
    uint64_t t_ns;
    const struct firstflight_run *packets;
    uint64_t run_count;
    uint64_t bytes;
    uint64_t bytes_in_flight;
    uint64_t next_packet;
    uint64_t latest_rtt_ns;
    uint64_t min_rtt_ns;
    uint64_t smoothed_rtt_ns;
    uint64_t ack_delay_ns;
    uint64_t packet;    /* ce */
    uint64_t sent_t_ns; /* ce */
    uint64_t ce_count;  /* ce */
    const struct firstflight_range *retransmits; /* sent */
    uint64_t retransmit_count;                   /* sent */
    uint64_t oldest_unacked_packet;              /* ack */
    uint64_t queued_bytes;                       /* backlog */
    uint64_t receive_window_bytes;               /* backlog */
    uint64_t saved_cwnd_bytes;                   /* saved_path, as the rest */
    uint64_t saved_rtt_ns;
    uint64_t expires_t_ns;   /* FIRSTFLIGHT_NONE: no Lifetime */
    uint64_t max_jump_bytes; /* FIRSTFLIGHT_NONE: no bound */
    uint64_t beta_numerator;
    uint64_t beta_denominator;
    uint32_t endpoint_matches;
    uint32_t in_use;
};

/* One number of `state`. */
struct firstflight_state_number {
    const char *name;
    uint64_t value;
    uint8_t is_null;
};

/*
 * The answer to an event. It comes zeroed; of the observables only those that the hello answer declares are read.
 * Texts must live until the next call of any of the four functions.
 */
struct firstflight_observed {
    uint64_t cwnd_bytes;
    uint64_t ssthresh_bytes; /* FIRSTFLIGHT_NONE: infinite */
    uint32_t has_ssthresh;   /* 0: not reported */
    uint32_t state_count;    /* 0: not reported */
    const char *phase;       /* NULL: not reported */
    const char *outcome;     /* NULL: not reported */
    struct firstflight_state_number state[FIRSTFLIGHT_STATE_MAX];
    uint64_t next_release_ns;  /* FIRSTFLIGHT_NONE: nothing is paced */
    uint32_t has_next_release; /* 0: not reported */
    uint32_t has_trigger;      /* 0: not reported */
    const char *trigger;       /* NULL: null */
};

/* One input of a computation. */
struct firstflight_input {
    const char *name;
    uint64_t value;
};

/* The `compute` message. */
struct firstflight_computation {
    const char *id;
    const char *algorithm;
    const char *profile;
    const struct firstflight_input *inputs;
    uint64_t input_count;
};

/* One output: a number, or, if `numerator` is not NULL, a fraction in decimal digits. */
struct firstflight_output {
    const char *name;
    uint64_t value;
    const char *numerator;
    const char *denominator;
};

/* The answer to a computation. It comes zeroed. Texts must live until the next call of any of the functions. */
struct firstflight_computed {
    uint32_t output_count;
    const char *reason; /* why it is refused or unsupported, or NULL */
    struct firstflight_output outputs[FIRSTFLIGHT_OUTPUTS_MAX];
};

/* Return the hello answer as JSON text, without a line feed. */
const char *firstflight_adapter_hello(void);

/* Begin a case. Return the adapter's own state, or NULL and the reason why the case is unsupported. */
void *firstflight_adapter_start(const struct firstflight_case *start, const char **unsupported_reason);

/* Process one event. Return FIRSTFLIGHT_OBSERVED, FIRSTFLIGHT_UNSUPPORTED or FIRSTFLIGHT_FAULT. */
int firstflight_adapter_event(void *self, const struct firstflight_event *event, struct firstflight_observed *observed);

/*
 * Compute outputs from inputs, between cases. Return FIRSTFLIGHT_COMPUTED, FIRSTFLIGHT_REFUSED, FIRSTFLIGHT_UNSUPPORTED or
 * FIRSTFLIGHT_FAULT. This function is optional: where it is missing, every computation is unsupported.
 */
int firstflight_adapter_compute(const struct firstflight_computation *computation,
                                struct firstflight_computed *computed);

/* End a case and release its state. It is called once for each state that was returned. */
void firstflight_adapter_end(void *self);

#ifdef __cplusplus
}
#endif

#endif
