/*
 * The arithmetic of CUBIC (spec/cubic/rules.md, section Arithmetic).
 *
 * C is 0.4 segments per second cubed. At t ns from K, the distance of the window from W_max is
 * 2 * datagram_bytes * t^3 / (5 * 10^27) bytes, with segments of `datagram_bytes`.
 */
#ifndef FIRSTFLIGHT_CUBIC_WINDOW_H
#define FIRSTFLIGHT_CUBIC_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "firstflight/wide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fractions of a byte are counted in units of 2^-32. */
struct ff_cubic_bytes {
    uint64_t whole;
    uint64_t fraction; /* below 2^32 */
};

/* Return 7/10, rounded down. */
uint64_t ff_cubic_seven_tenths(uint64_t count);

/* Return 17/20, which is (1 + 7/10) / 2, rounded down. */
uint64_t ff_cubic_seventeen_twentieths(uint64_t count);

/* Return the largest integer whose cube is at most a number below 2^156. */
uint64_t ff_cubic_cube_root(const struct ff_wide *number);

/* Return the time of the curve to a distance from W_max, in ns, rounded down: K for W_max - cwnd_epoch. */
uint64_t ff_cubic_cube_time_ns(uint64_t distance_bytes, uint64_t datagram_bytes);

/* Return W_cubic(t) in bytes, rounded towards W_max, within 0 and the largest window. */
uint64_t ff_cubic_window_bytes(uint64_t w_max_bytes, uint64_t k_ns, uint64_t datagram_bytes, uint64_t t_ns);

/* Return acked * distance / cwnd, rounded down; acked is at most cwnd, which is not 0. */
struct ff_cubic_bytes ff_cubic_share(uint64_t acked_bytes, uint64_t distance_bytes, uint64_t cwnd_bytes);

/*
 * Return alpha * datagram * acked / cwnd in units of 2^-32 bytes, rounded down. With `reached` alpha is 1, otherwise
 * 9/17. The caller ensures acked <= cwnd and cwnd > 0.
 */
uint64_t ff_cubic_friendly_increase(uint64_t datagram_bytes, uint64_t acked_bytes, uint64_t cwnd_bytes, bool reached);

#ifdef __cplusplus
}
#endif

#endif
