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

/* Packets of the first round, independent of the initial window. */
#define FF_SUSS_FIRST_PACKETS UINT64_C(10)
/* Bytes of a sent event that the pacing counts. 2^33 * 10^9 < 2^63. */
#define FF_SUSS_PACED_MAX_BYTES (UINT64_C(1) << 33)

/* Mode of SUSS: the numbers of the kernel, where 4 is equivalent to 3. */
enum ff_suss_mode {
    FF_SUSS_MODE_CLOCKED = 1,
    FF_SUSS_MODE_PACED = 2,
    FF_SUSS_MODE_STOPPED = 3,
    FF_SUSS_MODE_REDUCED = 9,
    FF_SUSS_MODE_DISABLED = 10,
};

/* Position of the last ACK in its round: beyond the clocked ("blue") part ("red"), in it, or at its tail. */
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
    uint64_t head_packet;    /* its ACK begins the next round */
    uint64_t tail_packet;    /* its ACK ends the train of blue ACKs; below 2^63 */
    uint64_t blue_packets;   /* acknowledged, at most FF_SUSS_BLUE_MAX */
    uint64_t train_us;       /* train of the round that was sped up last; below 2^38 */
    uint64_t jumps;          /* rounds sped up, at most 3 */
    uint64_t min_round;      /* round of the last decrease of the minimum RTT */
    /* the red packets */
    uint64_t limit_bytes; /* limit of the window while paced */
    uint64_t rate;        /* bytes per second, below 2^39 */
    uint64_t start_ns;
    uint64_t release_ns; /* FF_NONE until the window has opened once */
    uint64_t cap_bytes;  /* the window that ends slow start; FF_NONE until set */
    uint64_t in_flight_bytes;
    uint8_t mode;
    uint8_t part;
    bool growing; /* until a condition fails */
};

/* Store the bytes in flight; the number saturates like windows. */
void ff_suss_set_in_flight(struct ff_suss *state, uint64_t bytes_in_flight);

/* Return whether rounds are tracked. */
bool ff_suss_is_active(const struct ff_suss *state);

/* Return the minimum RTT in microseconds, or 0 without one. */
uint64_t ff_suss_min_us(const struct ff_suss *state);

/* Return the earliest time of the next packet, which may be past, or FF_NONE while packets are clocked by ACKs. */
uint64_t ff_suss_next_release_ns(const struct ff_suss *state);

/* Schedule the next packet after the transmission time of these packets; lateness shortens it by at most half. */
void ff_suss_pace_sent(struct ff_suss *state, uint64_t t_ns, const struct ff_sent *sent);

#ifdef __cplusplus
}
#endif

#endif
