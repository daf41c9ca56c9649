/*
 * The domain of both references, and the status codes of functions.
 *
 * The port refuses arguments outside the domain; inside it no expression overflows.
 * reference-py/src/firstflight/limits.py has the same names and values.
 */
#ifndef FIRSTFLIGHT_LIMITS_H
#define FIRSTFLIGHT_LIMITS_H

#include <stdint.h>

/* Times and RTTs, in ns. 20 * (2^59 - 1) < 2^64, so that 1/20 ns ticks fit in 64 bits. About 18 years. */
#define FF_TIME_MAX_NS ((UINT64_C(1) << 59) - 1)

/* Congestion windows, in bytes. Growth saturates here. 2 * (2^62 - 1) < 2^64. */
#define FF_WINDOW_MAX_BYTES ((UINT64_C(1) << 62) - 1)

/* Bytes of one event: 65535 packets of 65535 bytes in up to 65536 runs. */
#define FF_EVENT_MAX_BYTES ((UINT64_C(1) << 48) - 1)

/* Packets of one run. */
#define FF_RUN_MAX_PACKETS UINT64_C(65535)

/* Maximum datagram size, in bytes. */
#define FF_DATAGRAM_MAX_BYTES UINT64_C(65535)

/* Bytes in one SEARCH bin, which is stored in seven bytes (search/layout.h). */
#define FF_BIN_MAX_BYTES ((UINT64_C(1) << 56) - 1)

/* Packet numbers (RFC 9000, section 12.3), so that a number after the last fits in 64 bits. */
#define FF_PACKET_MAX ((UINT64_C(1) << 62) - 1)

/* Numerator and denominator of Beta (Careful Resume). */
#define FF_BETA_MAX UINT64_C(65535)

/* Bytes of the first flight of JumpStart; more is cut off. 5 * 2^29 * 6 * 2^29 < 2^64 (jumpstart_pacing.c). */
#define FF_JUMP_MAX_BYTES ((UINT64_C(1) << 29) - 1)

/* Every other number of an event: the maximum of uint64_t, so that only the model in Python checks it. */
#define FF_NUMBER_MAX UINT64_MAX

/* Result of every fallible function. Unless it is FF_OK, nothing was changed and nothing was written. */
enum ff_status {
    FF_OK = 0,
    FF_ERR_DOMAIN,          /* an argument is outside the domain */
    FF_ERR_UNKNOWN_PROFILE, /* unknown algorithm, or unknown profile of the algorithm */
};

#endif
