/* The state of SUSS, and the pacing of red packets (spec/suss/rules.md). */
#ifndef FIRSTFLIGHT_SUSS_STATE_H
#define FIRSTFLIGHT_SUSS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/events.h"
#include "firstflight/hystart/hystart.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Packets of the first round, whatever the initial window is. */
#define FF_SUSS_FIRST_PACKETS UINT64_C(10)
/* Bytes of a sent event that the pacing counts. 2^33 * 10^9 < 2^63. */
#define FF_SUSS_PACED_MAX_BYTES (UINT64_C(1) << 33)

/* What SUSS does: the numbers of the kernel, where 4 is a second name of 3. */
enum ff_suss_mode {
    FF_SUSS_MODE_CLOCKED = 1,
    FF_SUSS_MODE_PACED = 2,
    FF_SUSS_MODE_STOPPED = 3,
    FF_SUSS_MODE_REDUCED = 9,
    FF_SUSS_MODE_DISABLED = 10,
};

/* Where in its round the last ACK stood: beyond the clocked ("blue") part ("red"), in it, or at its tail. */
enum ff_suss_part {
    FF_SUSS_PART_RED = 0,
    FF_SUSS_PART_BLUE = 1,
    FF_SUSS_PART_TAIL = 2,
};

struct ff_suss {
    struct ff_hystart hystart;
    /* the round */
    uint64_t round_no;        /* at most FF_SUSS_ROUND_MAX */
    uint64_t round_start_us;
    uint64_t head_packet;    /* its ACK begins the next one */
    uint64_t tail_packet;    /* its ACK ends the train of blue ones; below 2^63 */
    uint64_t blue_packets;   /* acknowledged, at most FF_SUSS_BLUE_MAX */
    uint64_t train_us;       /* of the round that was sped up last; below 2^38 */
    uint64_t jumps;          /* rounds sped up, at most 3 */
    uint64_t min_round;      /* in which the minimum RTT fell last */
    /* the red packets */
    uint64_t limit_bytes; /* to which the window opens while paced */
    uint64_t rate;        /* bytes per second, below 2^39 */
    uint64_t start_ns;
    uint64_t release_ns; /* FF_NONE until the window has opened once */
    uint64_t cap_bytes;  /* the window at which slow start ends; FF_NONE: none is set */
    uint64_t in_flight_bytes;
    uint8_t mode;
    uint8_t part;
    bool growing; /* until a condition fails */
};

/* Note how much is in flight; the number saturates as windows do. */
void ff_suss_set_in_flight(struct ff_suss *state, uint64_t bytes_in_flight);

/* Return whether rounds are followed. */
bool ff_suss_is_active(const struct ff_suss *state);

/* Return the minimum RTT in microseconds, 0 if there is none. */
uint64_t ff_suss_min_us(const struct ff_suss *state);

/* Return when the next packet may leave, FF_NONE while packets are clocked by ACKs; it may be past. */
uint64_t ff_suss_next_release_ns(const struct ff_suss *state);

/* Let the next packet leave when these have taken their time; of what they came late, half of that is made up for. */
void ff_suss_pace_sent(struct ff_suss *state, uint64_t t_ns, const struct ff_sent *sent);

#ifdef __cplusplus
}
#endif

#endif
