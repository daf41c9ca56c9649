#include "search_draft_00.h"
#include "search_draft_00_invariant.h"
#include "proof.h"

#define SUM_END (UINT64_C(1) << 59) /* exclusive bound of the high word of a sum */

/* Bounds of the high word: of a product of bin_duration and bytes, and of a product with a small factor. */
static int is_product(uint64_t a, uint64_t b, struct search_draft_00_wide product) {
    int of_bytes = a >> 62 > 0 || b >> 60 > 0 || product.high <= (UINT64_C(1) << 58) + 1;
    int of_a_bin = a >> 62 > 0 || b >> 56 > 0 || product.high <= (UINT64_C(1) << 54) + 1;
    return of_bytes && of_a_bin && (a >= 64 || product.high <= 64);
}

static struct search_draft_00 any_state(uint64_t then) {
    struct search_draft_00 s;
    ASSUME(then < TIME_END && search_draft_00_clock_invariant(&s, then) && search_draft_00_ring_invariant(&s));
    return s;
}

static void prove_invariant(const struct search_draft_00 *s, uint64_t now_ns) {
    PROVE(search_draft_00_clock_invariant(s, now_ns));
    PROVE(search_draft_00_ring_invariant(s));
}

void prove_begin(void) {
    struct search_draft_00 s;
    search_draft_00_begin(&s);
    prove_invariant(&s, 0);
}

void prove_count(uint64_t then, uint64_t bytes) {
    struct search_draft_00 s = any_state(then);
    ASSUME(bytes < SEARCH_DRAFT_00_BYTES_LIMIT - s.sequence_num);
    search_draft_00_count(&s, bytes);
    prove_invariant(&s, then);
}

void prove_rtt(uint64_t then, uint64_t rtt_ns) {
    struct search_draft_00 s = any_state(then);
    ASSUME(rtt_ns < TIME_END);
    search_draft_00_rtt(&s, rtt_ns);
    prove_invariant(&s, then);
}

void prove_update_bins(uint64_t then, uint64_t now_ns) {
    struct search_draft_00 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && s.bin_duration > 0 && now_ns > s.bin_end_ns);
    search_draft_00_update_bins(&s, 20 * now_ns);
    prove_invariant(&s, now_ns);
    PROVE(s.completed > 0);
}

/* Contract proved by prove_update_bins. */
void any_update_bins(struct search_draft_00 *s, uint64_t now) {
    struct search_draft_00 after = any_state(now / 20);
    PROVE(s->bin_duration > 0 && now / 20 > s->bin_end_ns);
    ASSUME(after.bin_duration == s->bin_duration && after.rtt_ns == s->rtt_ns && after.completed > 0);
    *s = after;
}

void prove_product(uint64_t a, uint64_t b) {
    PROVE(is_product(a, b, search_draft_00_product(a, b)));
}

/* Contract proved by prove_product. */
struct search_draft_00_wide any_product(uint64_t a, uint64_t b) {
    struct search_draft_00_wide product;
    ASSUME(is_product(a, b, product));
    return product;
}

/* A sum depends only on the difference of the indices and on their places in the ring: testing each place is enough. */
void prove_sum_bins(uint64_t then, uint64_t rest) {
    struct search_draft_00 s = any_state(then);
    ASSUME(s.bin_duration > 0 && rest < s.bin_duration);
    for (uint64_t idx1 = 0; idx1 < SEARCH_DRAFT_00_NUM_BINS; idx1++)
        PROVE(search_draft_00_sum_bins(&s, idx1, idx1 + SEARCH_DRAFT_00_W, rest).high < SUM_END);
}

/* Contract proved by prove_sum_bins. */
struct search_draft_00_wide any_sum_bins(const struct search_draft_00 *s, uint64_t idx1, uint64_t idx2, uint64_t rest) {
    struct search_draft_00_wide sum;
    PROVE(s->bin_duration > 0 && rest < s->bin_duration && idx1 <= idx2 && idx2 - idx1 == SEARCH_DRAFT_00_W);
    ASSUME(sum.high < SUM_END);
    return sum;
}

void prove_on_ack(uint64_t then, uint64_t now_ns, uint64_t cwnd) {
    struct search_draft_00 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && now_ns > 0 && cwnd < WINDOW_END);
    search_draft_00_on_ack(&s, now_ns, &cwnd);
    prove_invariant(&s, now_ns);
    PROVE(cwnd < WINDOW_END);
}
