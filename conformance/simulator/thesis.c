/* The window of the thesis's simulator (ns-3): its CUBIC with HyStart, and its JumpStart. */
#include <string.h>

#include "firstflight/minmax.h"
#include "firstflight/wide.h"
#include "flow.h"

#define MS UINT64_C(1000000)
#define COUNT_CLAMP 20
#define LOW_WINDOW 16
#define MIN_SAMPLES 8
#define ACK_DELTA_NS (2 * MS)
#define DELAY_MIN_NS (4 * MS)
#define DELAY_MAX_NS (1000 * MS)
#define SETTLE_NS (10 * MS)
#define FRIENDLY_EIGHTHS 15
#define JUMP_BYTES 65536

void sim_thesis_begin(struct sim_thesis *thesis, const char *algorithm, uint64_t segment_bytes, uint64_t initial_window_bytes)
{
    *thesis = (struct sim_thesis){
        .segment_bytes = segment_bytes,
        .cwnd_bytes = initial_window_bytes,
        .ssthresh_bytes = SIM_NONE,
        .hystart = strcmp(algorithm, "cubic") == 0,
        .delay_min_ns = SIM_NONE,
        .recovery_start_ns = SIM_NONE,
        .round_rtt_ns = SIM_NONE,
        .epoch_ns = SIM_NONE,
    };
    if (strcmp(algorithm, "jumpstart") == 0) {
        thesis->cwnd_bytes = thesis->ssthresh_bytes = ff_max(JUMP_BYTES, initial_window_bytes);
    }
}

static bool in_slow_start(const struct sim_thesis *thesis)
{
    return thesis->cwnd_bytes < thesis->ssthresh_bytes;
}

static void begin_round(struct sim_thesis *thesis, const struct ff_event *event)
{
    thesis->round_start_ns = thesis->last_ack_ns = event->t_ns;
    thesis->round_end_packet = event->ack.next_packet;
    thesis->samples = 0;
    thesis->round_rtt_ns = SIM_NONE;
}

/* HyStart: leave slow start after an ACK train longer than the minimum RTT, or when the RTT of a round has doubled. */
static void look_for_exit(struct sim_thesis *thesis, uint64_t now_ns, uint64_t rtt_ns)
{
    uint64_t delay_min_ns = thesis->delay_min_ns;
    bool small = thesis->cwnd_bytes < LOW_WINDOW * thesis->segment_bytes, found = false;

    if (!thesis->hystart || small || !in_slow_start(thesis)) {
        return;
    }
    if (now_ns - thesis->last_ack_ns <= ACK_DELTA_NS) {
        thesis->last_ack_ns = now_ns;
        found = now_ns - thesis->round_start_ns > delay_min_ns;
    }
    if (thesis->samples < MIN_SAMPLES) {
        thesis->round_rtt_ns = ff_min(thesis->round_rtt_ns, rtt_ns);
        thesis->samples++;
    } else if (thesis->round_rtt_ns > delay_min_ns + ff_min(ff_max(delay_min_ns, DELAY_MIN_NS), DELAY_MAX_NS)) {
        found = true;
    }
    if (found) {
        thesis->ssthresh_bytes = thesis->cwnd_bytes;
    }
}

/* Return 4 t^3 / 10 segments, t in seconds, rounded down: t is below 2^43 ns, so that it is below 2^38. */
static uint64_t curve(uint64_t t_ns)
{
    struct ff_wide cubed;

    ff_wide_set(&cubed, t_ns);
    ff_wide_multiply(&cubed, t_ns);
    ff_wide_multiply(&cubed, t_ns);
    ff_wide_multiply(&cubed, 4);
    ff_wide_divide(&cubed, UINT64_C(100000000000000)); /* 10 * (10^9)^3 is the square of this divisor */
    ff_wide_divide(&cubed, UINT64_C(100000000000000));
    return cubed.limbs[0];
}

/* Return the number of acknowledged segments that grow the window by one segment. */
static uint64_t needed_segments(struct sim_thesis *thesis, uint64_t now_ns, uint64_t segments)
{
    uint64_t window = thesis->cwnd_bytes / thesis->segment_bytes;

    thesis->ack_count += segments;
    if (thesis->epoch_ns == SIM_NONE) {
        thesis->epoch_ns = now_ns;
        thesis->origin = window;
        thesis->ack_count = segments;
        thesis->friendly_window = window;
    }
    uint64_t delay_ns = thesis->delay_min_ns != SIM_NONE ? thesis->delay_min_ns : 0;
    uint64_t target = thesis->origin + curve(now_ns + delay_ns - thesis->epoch_ns);
    uint64_t needed = ff_min(target > window ? window / (target - window) : 100 * window, COUNT_CLAMP);
    uint64_t share = window * FRIENDLY_EIGHTHS / 8;
    while (thesis->ack_count > share) {
        thesis->ack_count -= share;
        thesis->friendly_window++;
    }
    if (thesis->friendly_window > window) {
        needed = ff_min(needed, window / (thesis->friendly_window - window));
    }
    return ff_max(needed, 2);
}

static void on_ack(struct sim_thesis *thesis, const struct ff_event *event)
{
    const struct ff_ack *ack = &event->ack;
    const struct ff_run *largest = &ack->packets[ack->run_count - 1];
    uint64_t bytes = thesis->rest_bytes + ack->bytes, segments = bytes / thesis->segment_bytes;
    uint64_t rtt_ns = ack->smoothed_rtt_ns != FF_NO_RTT_NS ? ack->smoothed_rtt_ns : 0;

    thesis->rest_bytes = bytes % thesis->segment_bytes;
    if (thesis->epoch_ns == SIM_NONE || event->t_ns - thesis->epoch_ns >= SETTLE_NS) {
        thesis->delay_min_ns = ff_min(thesis->delay_min_ns, rtt_ns);
        look_for_exit(thesis, event->t_ns, rtt_ns);
    }
    bool old = thesis->recovery_start_ns != SIM_NONE && largest->sent_t_ns <= thesis->recovery_start_ns;
    if (!thesis->window_full || old) {
        return;
    }
    if (in_slow_start(thesis)) {
        if (thesis->hystart && largest->last >= thesis->round_end_packet) {
            begin_round(thesis, event);
        }
        thesis->cwnd_bytes += segments * thesis->segment_bytes;
    } else if (segments > 0) {
        thesis->counted += segments;
        uint64_t needed = needed_segments(thesis, event->t_ns, segments);
        if (thesis->counted >= needed) {
            thesis->counted -= needed;
            thesis->cwnd_bytes += thesis->segment_bytes;
        }
    }
}

static void on_lost(struct sim_thesis *thesis, const struct ff_event *event)
{
    uint64_t latest_ns = 0;

    for (size_t i = 0; i < event->lost.run_count; i++) {
        latest_ns = ff_max(latest_ns, event->lost.packets[i].sent_t_ns);
    }
    if (thesis->recovery_start_ns != SIM_NONE && latest_ns <= thesis->recovery_start_ns) {
        return;
    }
    uint64_t window = thesis->cwnd_bytes / thesis->segment_bytes;
    thesis->cwnd_bytes = thesis->ssthresh_bytes = ff_max(window * 7 / 10, 2) * thesis->segment_bytes;
    thesis->recovery_start_ns = event->t_ns;
    thesis->epoch_ns = SIM_NONE;
}

/* Process an event. */
struct sim_answer sim_thesis_on_event(struct sim_thesis *thesis, const struct ff_event *event)
{
    if (event->kind == FF_EVENT_ACK) {
        on_ack(thesis, event);
    } else if (event->kind == FF_EVENT_SENT) {
        thesis->window_full = thesis->cwnd_bytes < event->sent.bytes_in_flight + thesis->segment_bytes;
    } else if (event->kind == FF_EVENT_LOST) {
        on_lost(thesis, event);
    } else if (event->kind == FF_EVENT_PERSISTENT_CONGESTION) {
        thesis->cwnd_bytes = thesis->segment_bytes;
    }
    return (struct sim_answer){thesis->cwnd_bytes, FF_NONE, in_slow_start(thesis)};
}
