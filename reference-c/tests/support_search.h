/* Common helpers of the tests of SEARCH: states of exactly the size that the readings require. */
#ifndef FIRSTFLIGHT_TESTS_SUPPORT_SEARCH_H
#define FIRSTFLIGHT_TESTS_SUPPORT_SEARCH_H

#include <stdlib.h>

#include "firstflight/search/startup.h"
#include "support.h"

#define FULL FF_BIN_MAX_BYTES

/* Initial RTT 20 units: bins of 140 ticks, 7 units. */
enum { BIN_TICKS = 140, BIN_NS = 7, NOW_NS = 1000000 };

static inline struct ff_search_readings readings_of(const char *profile)
{
    for (size_t i = 0; i < FF_SEARCH_PROFILE_COUNT; i++) {
        if (strcmp(ff_search_profiles[i].name, profile) == 0) {
            return ff_search_profiles[i].readings;
        }
    }
    TEST_FAIL_MESSAGE(profile);
    return ff_search_profiles[0].readings;
}

/* A state of exactly the required bytes: AddressSanitizer sees the first byte beyond. Valid until the next call. */
static inline struct ff_search *fresh(const struct ff_search_readings *readings)
{
    static struct ff_search *state;
    size_t bytes = ff_search_state_bytes(readings);

    free(state);
    state = malloc(bytes);
    TEST_ASSERT_NOT_NULL(state);
    memset(state, 0xA5, bytes);
    ff_search_begin(readings, state);
    return state;
}

/* A state with an open bin `curr` that ends with an ACK at NOW_NS, and with empty bins. */
static inline struct ff_search *ended(const struct ff_search_readings *readings, uint64_t curr)
{
    struct ff_search *state = fresh(readings);

    for (int kind = FF_SEARCH_DELIVERED; kind <= FF_SEARCH_SENT; kind++) {
        uint32_t kept = ff_search_kept_bins(readings, (enum ff_search_kind)kind);
        memset(ff_search_slots(readings, state, (enum ff_search_kind)kind), 0, (size_t)FF_SEARCH_BIN_BYTES * kept);
    }
    state->bin_ticks = BIN_TICKS;
    state->gate_ns = NOW_NS;
    state->curr = curr;
    state->sample = (struct ff_search_sample){20, 20, 20, 0};
    return state;
}

/* Store a number of bytes in stored, empty bins, as if they had been counted. */
static inline void fill_kind(const struct ff_search_readings *readings, struct ff_search *state, enum ff_search_kind kind,
                             uint64_t first, uint64_t last, uint64_t bytes)
{
    uint8_t *slots = ff_search_slots(readings, state, kind);
    uint32_t kept = ff_search_kept_bins(readings, kind);
    struct ff_search_series *series =
        kind == FF_SEARCH_SENT ? &ff_search_more(readings, state)->sent : &state->delivered;

    for (uint64_t bin = first; bin <= last; bin++) {
        for (unsigned i = 0; i < FF_SEARCH_BIN_BYTES; i++) {
            slots[FF_SEARCH_BIN_BYTES * (bin % kept) + i] = (uint8_t)(bytes >> 8 * i);
        }
        series->counter_bytes += bytes;
        series->opened_bytes += bytes;
    }
}

static inline void fill(const struct ff_search_readings *readings, struct ff_search *state, uint64_t first, uint64_t last,
                        uint64_t bytes)
{
    fill_kind(readings, state, FF_SEARCH_DELIVERED, first, last, bytes);
}

static inline uint64_t open_bytes(const struct ff_search *state)
{
    return state->delivered.counter_bytes - state->delivered.opened_bytes;
}

/* Bytes of a completed bin that is still stored. */
static inline uint64_t held_bytes(const struct ff_search_readings *readings, const struct ff_search *state, uint64_t bin)
{
    const uint8_t *slots = ff_search_slots(readings, state, FF_SEARCH_DELIVERED);
    uint64_t bytes = 0;

    for (unsigned i = FF_SEARCH_BIN_BYTES; i-- > 0;) {
        bytes = bytes << 8 | slots[FF_SEARCH_BIN_BYTES * (bin % ff_search_kept_bins(readings, FF_SEARCH_DELIVERED)) + i];
    }
    return bytes;
}

/* Result of an ACK of 1200 bytes in slow start. */
struct decision {
    enum ff_outcome outcome;
    struct ff_search_evaluation evaluation;
    struct ff_base_state base; /* after it */
};

/* An ACK of 1200 bytes at t_ns with the given RTT and window before it. */
static inline struct decision decide_at(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                        uint64_t rtt_ns, uint64_t cwnd_bytes)
{
    struct decision decision = {.evaluation = {FF_NONE, FF_NONE, FF_NONE}};
    struct ff_event event = ack_of(t_ns, 1, 1200, t_ns);

    ff_newreno_begin(&decision.base, 1200, cwnd_bytes);
    event.ack.latest_rtt_ns = rtt_ns;
    event.ack.smoothed_rtt_ns = FF_NO_RTT_NS;
    event.ack.min_rtt_ns = FF_NO_RTT_NS;
    decision.outcome = ff_search_on_ack(readings, state, &decision.base, t_ns, &event.ack, &decision.evaluation);
    return decision;
}

/* The same with a window of 2^61 bytes before it. */
static inline struct decision decide(const struct ff_search_readings *readings, struct ff_search *state, uint64_t t_ns,
                                     uint64_t rtt_ns)
{
    return decide_at(readings, state, t_ns, rtt_ns, UINT64_C(1) << 61);
}

#endif
