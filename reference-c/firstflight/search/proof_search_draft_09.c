#include "search_draft_09.h"
#include "search_draft_09_invariant.h"
#include "proof.h"

/* Bounds of the high word: of a product of bin_duration and bytes, and of a product with a small factor. */
static int is_product(uint64_t a, uint64_t b, struct search_draft_09_wide product) {
    int of_bytes = a >> 62 > 0 || b >> 56 > 0 || product.high <= (UINT64_C(1) << 54) + 1;
    return of_bytes && (a >= 64 || product.high <= 64);
}

/* The clock and the present totals. The rings have separate proofs, place by place. */
static int is_state(const struct search_draft_09 *s, uint64_t now_ns) {
    int totals = s->acked_bytes < SEARCH_DRAFT_09_BYTES_LIMIT && s->sent_bytes < SEARCH_DRAFT_09_BYTES_LIMIT;
    return totals && search_draft_09_clock_invariant(s, now_ns);
}

static struct search_draft_09 any_state(uint64_t then) {
    struct search_draft_09 s;
    ASSUME(then < TIME_END && is_state(&s, then));
    return s;
}

/* Unchanged rings keep their invariant if the present totals do not fall. */
static void prove_rings_stay(const struct search_draft_09 *before, const struct search_draft_09 *s) {
    PROVE(s->curr_idx == before->curr_idx && s->bin_duration == before->bin_duration);
    PROVE(s->acked_bytes >= before->acked_bytes && s->sent_bytes >= before->sent_bytes);
    for (int i = 0; i < SEARCH_DRAFT_09_ACKED_BINS; i++)
        PROVE(s->acked_bins[i] == before->acked_bins[i]);
    for (int i = 0; i < SEARCH_DRAFT_09_SENT_BINS; i++)
        PROVE(s->sent_bins[i] == before->sent_bins[i]);
}

void prove_begin(uint32_t max_datagram_size) {
    struct search_draft_09 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    search_draft_09_begin(&s, max_datagram_size);
    PROVE(is_state(&s, 0) && search_draft_09_rings_invariant(&s));
}

void prove_on_sent(uint64_t then, uint64_t bytes) {
    struct search_draft_09 s = any_state(then), before = s;
    ASSUME(bytes < SEARCH_DRAFT_09_BYTES_LIMIT - s.sent_bytes);
    search_draft_09_on_sent(&s, bytes);
    PROVE(is_state(&s, then));
    prove_rings_stay(&before, &s);
}

void prove_count(uint64_t then, uint64_t bytes) {
    struct search_draft_09 s = any_state(then), before = s;
    ASSUME(bytes < SEARCH_DRAFT_09_BYTES_LIMIT - s.acked_bytes);
    search_draft_09_count(&s, bytes);
    PROVE(is_state(&s, then));
    prove_rings_stay(&before, &s);
}

void prove_rtt(uint64_t then, uint64_t rtt_ns) {
    struct search_draft_09 s = any_state(then), before = s;
    ASSUME(rtt_ns < TIME_END);
    search_draft_09_rtt(&s, rtt_ns);
    PROVE(is_state(&s, then));
    prove_rings_stay(&before, &s);
}

/* Without a bin_duration the invariant does not cover the rings. */
void prove_restart(uint64_t then) {
    struct search_draft_09 s = any_state(then);
    search_draft_09_restart(&s);
    PROVE(is_state(&s, then) && s.bin_duration == 0);
}

void prove_start(uint64_t then, uint64_t now_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && s.bin_duration == 0);
    search_draft_09_start(&s, now_ns);
    PROVE(is_state(&s, now_ns) && (s.bin_duration == 0 || s.curr_idx == 0));
    PROVE(s.bin_duration == 0 || search_draft_09_totals_rise(s.acked_bins, SEARCH_DRAFT_09_ACKED_BINS, 0, s.acked_bytes));
    PROVE(s.bin_duration == 0 || search_draft_09_totals_rise(s.sent_bins, SEARCH_DRAFT_09_SENT_BINS, 0, s.sent_bytes));
}

/* SEARCH has started; the drain has not begun. */
static int is_searching(const struct search_draft_09 *s) {
    return s->bin_duration > 0 && s->target_cwnd == 0 && s->bin_end_ns == s->bin_end / 20;
}

void prove_update_bins(uint64_t then, uint64_t now_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && is_searching(&s) && now_ns > s.bin_end_ns);
    search_draft_09_update_bins(&s, 20 * now_ns);
    PROVE(is_searching(&s) && is_state(&s, now_ns));
}

static uint64_t latest_idx; /* curr_idx of the state that any_window refers to */

/* Contract proved by prove_update_bins. */
void any_update_bins(struct search_draft_09 *s, uint64_t now) {
    struct search_draft_09 after = any_state(now / 20);
    PROVE(is_searching(s) && now / 20 > s->bin_end_ns);
    ASSUME(is_searching(&after) && after.bin_duration == s->bin_duration && after.rtt_ns == s->rtt_ns);
    ASSUME(after.max_datagram_size == s->max_datagram_size && after.drained_packets == s->drained_packets);
    latest_idx = after.curr_idx;
    *s = after;
}

/* An index, or a number of passed bins, matters only modulo the size and by being below the size or not. So a proof of
 * each value below twice the size, case by case, covers all (docs/proof.md): full turns lead to the same places. */
static void prove_places_of(uint64_t count, uint64_t turns) {
    ASSUME(turns <= UINT64_MAX / count - 1);
    for (uint64_t place = 0; place < count; place++)
        PROVE((turns * count + place) % count == place);
}

void prove_places_of_acked(uint64_t turns) { prove_places_of(SEARCH_DRAFT_09_ACKED_BINS, turns); }

void prove_places_of_sent(uint64_t turns) { prove_places_of(SEARCH_DRAFT_09_SENT_BINS, turns); }

struct ring {
    uint64_t bins[SEARCH_DRAFT_09_SENT_BINS]; /* a smaller ring uses the first */
};

/* One ended bin keeps the invariant. Many bins end as if one by one: the last with total, the others as idx. */
static void prove_ring(struct ring ring, uint64_t count, uint64_t idx, uint64_t total) {
    PROVE(CASES == 2 * count);
    uint64_t before, total_of_idx = ring.bins[idx % count];
    ASSUME(search_draft_09_totals_rise(ring.bins, count, idx, before) && before <= total && total < SEARCH_DRAFT_09_BYTES_LIMIT);
    struct ring others = ring;
    uint64_t end = idx < count ? 2 * count : 2; /* only the invariant depends on whether the ring was full */
    for (uint64_t passed_bins = 1; passed_bins < end; passed_bins++) {
        struct ring at_once = ring, one_by_one = others;
        search_draft_09_end_bins(at_once.bins, count, idx, passed_bins, total);
        search_draft_09_end_bins(one_by_one.bins, count, idx + passed_bins - 1, 1, total);
        for (uint64_t i = 0; i < SEARCH_DRAFT_09_SENT_BINS; i++) /* beyond its size nothing is written */
            PROVE(at_once.bins[i] == (i < count ? one_by_one.bins[i] : ring.bins[i]));
        if (passed_bins == 1)
            PROVE(search_draft_09_totals_rise(at_once.bins, count, idx + 1, total));
        search_draft_09_end_bins(others.bins, count, idx + passed_bins - 1, 1, total_of_idx);
    }
}

void prove_end_bins_of_acked(struct ring ring, uint64_t total) { prove_ring(ring, SEARCH_DRAFT_09_ACKED_BINS, CASE, total); }

void prove_end_bins_of_sent(struct ring ring, uint64_t total) { prove_ring(ring, SEARCH_DRAFT_09_SENT_BINS, CASE, total); }

/* Only the proofs of the rings use the two contracts. This stub proves for every call that no index overflows. */
void any_end_bins(uint64_t *bins, uint64_t count, uint64_t idx, uint64_t passed_bins, uint64_t total) {
    (void)bins, (void)total;
    PROVE(count == SEARCH_DRAFT_09_ACKED_BINS || count == SEARCH_DRAFT_09_SENT_BINS);
    PROVE(passed_bins > 0 && idx <= UINT64_MAX - passed_bins);
}

static int is_window(uint64_t count, uint64_t curr_idx, uint64_t idx, uint64_t size) {
    return idx <= curr_idx && size <= idx && curr_idx - (idx - size) < count;
}

static void prove_window(struct ring ring, uint64_t count, uint64_t curr_idx, uint64_t total, uint64_t size) {
    PROVE(CASES == 2 * count);
    ASSUME(search_draft_09_totals_rise(ring.bins, count, curr_idx, total));
    for (uint64_t idx = 0; idx <= curr_idx; idx++)
        if (is_window(count, curr_idx, idx, size))
            PROVE(search_draft_09_window(ring.bins, count, idx, size) < SEARCH_DRAFT_09_BYTES_LIMIT);
}

void prove_window_of_acked(struct ring ring, uint64_t total) {
    prove_window(ring, SEARCH_DRAFT_09_ACKED_BINS, CASE, total, SEARCH_DRAFT_09_W);
    prove_window(ring, SEARCH_DRAFT_09_ACKED_BINS, CASE, total, SEARCH_DRAFT_09_TARGET_BINS);
}

void prove_window_of_sent(struct ring ring, uint64_t total) {
    prove_window(ring, SEARCH_DRAFT_09_SENT_BINS, CASE, total, SEARCH_DRAFT_09_W);
}

/* Contract proved by prove_window_of_acked and prove_window_of_sent. */
uint64_t any_window(const uint64_t *bins, uint64_t count, uint64_t idx, uint64_t size) {
    uint64_t bytes;
    (void)bins;
    PROVE(count == SEARCH_DRAFT_09_ACKED_BINS || count == SEARCH_DRAFT_09_SENT_BINS);
    PROVE(size == SEARCH_DRAFT_09_W || (size == SEARCH_DRAFT_09_TARGET_BINS && count == SEARCH_DRAFT_09_ACKED_BINS));
    PROVE(is_window(count, latest_idx, idx, size));
    ASSUME(bytes < SEARCH_DRAFT_09_BYTES_LIMIT);
    return bytes;
}

void prove_product(uint64_t a, uint64_t b) {
    PROVE(is_product(a, b, search_draft_09_product(a, b)));
}

/* Contract proved by prove_product. */
struct search_draft_09_wide any_product(uint64_t a, uint64_t b) {
    struct search_draft_09_wide product;
    ASSUME(is_product(a, b, product));
    return product;
}

static int is_comparison(uint64_t bin_duration, uint64_t rest, uint64_t newer, uint64_t older, uint64_t curr_delv) {
    return bin_duration < 7 * TIME_END && rest < bin_duration && newer < SEARCH_DRAFT_09_BYTES_LIMIT &&
           older < SEARCH_DRAFT_09_BYTES_LIMIT && curr_delv < SEARCH_DRAFT_09_BYTES_LIMIT;
}

void prove_below(uint64_t bin_duration, uint64_t rest, uint64_t newer, uint64_t older, uint64_t curr_delv) {
    ASSUME(is_comparison(bin_duration, rest, newer, older, curr_delv));
    search_draft_09_below(bin_duration, rest, newer, older, curr_delv);
}

/* Contract proved by prove_below. */
int any_below(uint64_t bin_duration, uint64_t rest, uint64_t newer, uint64_t older, uint64_t curr_delv) {
    int below;
    PROVE(is_comparison(bin_duration, rest, newer, older, curr_delv));
    return below;
}

/* search is called after the end of a bin, or before the first bin. */
void prove_search(uint64_t then, uint64_t now_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && now_ns > s.bin_end_ns && (s.bin_duration == 0 || is_searching(&s)));
    search_draft_09_search(&s, now_ns);
    PROVE(is_state(&s, now_ns));
}

/* Contract proved by prove_search. */
enum search_draft_09_outcome any_search(struct search_draft_09 *s, uint64_t now_ns) {
    enum search_draft_09_outcome outcome;
    PROVE((s->bin_duration == 0 || is_searching(s)) && now_ns > s->bin_end_ns);
    *s = any_state(now_ns);
    return outcome;
}

void prove_on_ack(uint64_t then, uint64_t now_ns, uint64_t packets, uint64_t bytes_in_flight, uint64_t cwnd) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && now_ns > 0 && cwnd < WINDOW_END);
    ASSUME(packets >= 1 && packets < ACK_END && bytes_in_flight < WINDOW_END);
    search_draft_09_on_ack(&s, now_ns, packets, bytes_in_flight, &cwnd);
    PROVE(is_state(&s, now_ns));
}
