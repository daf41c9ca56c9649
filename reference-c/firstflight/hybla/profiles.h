/* Readings and profiles of Hybla. Generated from spec/hybla/profiles.toml by `make generate`; do not edit. */
#ifndef FIRSTFLIGHT_HYBLA_PROFILES_H
#define FIRSTFLIGHT_HYBLA_PROFILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which units are rho, the RTT divided by the reference RTT, and 2^rho computed? (Y1) */
enum {
    FF_HYBLA_ARITHMETIC_EIGHTHS = 0, /* rho is rounded down to eighths, and 2^rho is taken from a table of eight 128ths */
    FF_HYBLA_ARITHMETIC_FIXED = 1, /* rho is a quotient of whole milliseconds, 2^rho is a product of roots of two of 30 bits, and shares are rounded up to 2^30ths */
};

/* Which RTT determines rho, the RTT divided by the reference RTT? (Y2) */
enum {
    FF_HYBLA_RTT_SMOOTHED = 0, /* the smallest smoothed RTT */
    FF_HYBLA_RTT_MINIMUM = 1, /* the minimum RTT */
};

/* Does the window grow for each ACK or for each acknowledged packet? (Y4) */
enum {
    FF_HYBLA_UNIT_ACK = 0, /* each ACK once */
    FF_HYBLA_UNIT_MIXED = 1, /* each ACK once in slow start, each packet in congestion avoidance */
};

/* Does the window grow by whole datagrams or bytes, and is the rest kept for later ACKs? (Y5) */
enum {
    FF_HYBLA_GAIN_DATAGRAMS = 0, /* whole datagrams are gained, the rest is kept */
    FF_HYBLA_GAIN_MIXED = 1, /* whole bytes in slow start, without a rest; whole datagrams in congestion avoidance, the rest is kept */
};

/* The value that one profile (one version of the algorithm) has for each open question of the text. */
struct ff_hybla_readings {
    uint8_t arithmetic;
    uint8_t rtt;
    uint8_t reference_ms;
    uint8_t unit;
    uint8_t gain;
};

struct ff_hybla_profile {
    const char *name;
    struct ff_hybla_readings readings;
};

/* Where each profile stands in the table. */
enum {
    FF_HYBLA_PROFILE_LINUX = 0,
    FF_HYBLA_PROFILE_NS_3 = 1,
};

#define FF_HYBLA_PROFILE_COUNT 2
extern const struct ff_hybla_profile ff_hybla_profiles[FF_HYBLA_PROFILE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
