/*
 * Transfer-time models of startup schemes (spec/transfer-time/rules.md): the duration of a response without loss.
 *
 *     struct ff_transfer_time_inputs inputs = {.rate_bps = 10000000, .rtt_ns = 200000000, .size_bytes = 65536,
 *                                              .mss_bytes = 1448, .mtu_bytes = 1500, .initial_window_segments = 3,
 *                                              .segments_per_ack = 1};
 *     struct ff_transfer_time answer;
 *     enum ff_status status = ff_transfer_time_compute("slow-start", &inputs, &answer);
 *
 * The functions keep no state and do not allocate; the largest needs about 2 KB of stack.
 */
#ifndef FIRSTFLIGHT_TRANSFER_TIME_H
#define FIRSTFLIGHT_TRANSFER_TIME_H

#include <stdint.h>

#include "firstflight/fraction.h"
#include "firstflight/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The domain. Inside it no number needs more than 1024 bits. */
#define FF_TRANSFER_TIME_RATE_MAX_BPS UINT64_C(1000000000000)
#define FF_TRANSFER_TIME_RTT_MAX_NS UINT64_C(100000000000)
#define FF_TRANSFER_TIME_SIZE_MAX_BYTES (UINT64_C(1) << 48)
#define FF_TRANSFER_TIME_PACKET_MAX_BYTES UINT64_C(65535)
#define FF_TRANSFER_TIME_INITIAL_WINDOW_MAX_SEGMENTS UINT64_C(65535)
#define FF_TRANSFER_TIME_SEGMENTS_PER_ACK_MAX UINT64_C(8)

/* Quick-Start rates are 40 kbit/s times 2 to the power of a code from 1 to 15 (RFC 4782, section 3.1). */
#define FF_QUICK_START_UNIT_BPS UINT64_C(40000)
#define FF_QUICK_START_CODE_MAX 15

/* Bits in a byte times nanoseconds in a second. */
#define FF_TRANSFER_TIME_BIT_NS_PER_BYTE_S UINT64_C(8000000000)

/* A scheme reads only its own inputs. */
struct ff_transfer_time_inputs {
    uint64_t rate_bps;                /* rate of the bottleneck, at the IP layer */
    uint64_t rtt_ns;                  /* RTT without queues */
    uint64_t size_bytes;              /* size of the response */
    uint64_t mss_bytes;               /* payload of a full packet */
    uint64_t mtu_bytes;               /* size of a full packet */
    uint64_t initial_window_segments; /* slow-start, initial-start */
    uint64_t segments_per_ack;
    uint64_t threshold_bytes;   /* jump-start: largest first flight */
    uint64_t approved_rate_bps; /* quick-start, more-start: initial rate, at the IP layer */
};

struct ff_transfer_time {
    uint64_t psi;              /* complete rounds of growth that count */
    struct ff_fraction gamma;  /* the transfer time in ns, exactly */
    uint64_t gamma_ns;         /* the same, rounded down */
    uint64_t response_time_ns; /* with the round trip before the first byte */
};

/*
 * Compute the transfer time under a scheme: "slow-start", "quick-start", "jump-start", "more-start" or "initial-start".
 * FF_ERR_UNKNOWN_PROFILE for an unknown scheme; FF_ERR_DOMAIN if an input of the scheme is out of range, or if the
 * response takes more than FF_TIME_MAX_NS.
 */
enum ff_status ff_transfer_time_compute(const char *scheme, const struct ff_transfer_time_inputs *inputs,
                                        struct ff_transfer_time *answer);

/*
 * Write code and rate of the largest Quick-Start rate that is not above the requested rate, or 0 and 0.
 * FF_ERR_DOMAIN above FF_TRANSFER_TIME_RATE_MAX_BPS.
 */
enum ff_status ff_quick_start_code(uint64_t requested_rate_bps, uint64_t *code, uint64_t *approved_rate_bps);

#ifdef __cplusplus
}
#endif

#endif
