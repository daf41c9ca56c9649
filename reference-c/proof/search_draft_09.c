#include "search_draft_09.h"
#include "search_draft_09_invariant.h"
#include "proof.h"

/* The high word, of a bin_duration and bytes, or of a small factor. */
static int is_product(uint64_t a, uint64_t b, struct search_draft_09_wide product) {
    int of_bytes = a >> 62 > 0 || b >> 56 > 0 || product.high <= (UINT64_C(1) << 54) + 1;
    return of_bytes && (a >= 64 || product.high <= 64);
}

/* The clock and the totals of now; the rings have proofs of their own, place by place. */
static int is_state(const struct search_draft_09 *s, uint64_t now_ns) {
    int totals = s->acked_bytes < SEARCH_DRAFT_09_BYTES_LIMIT && s->sent_bytes < SEARCH_DRAFT_09_BYTES_LIMIT;
    return totals && search_draft_09_clock_invariant(s, now_ns);
}

static struct search_draft_09 any_state(uint64_t then) {
    struct search_draft_09 s;
    ASSUME(then < TIME_END && is_state(&s, then));
    return s;
}

/* Totals that do not fall do not end the invariant of rings that stay as they are. */
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

/* Without a bin_duration nothing is asked of the rings. */
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

/* A bin has ended; the drain has not begun. */
static int is_searching(const struct search_draft_09 *s) {
    return s->bin_duration > 0 && s->target_cwnd == 0 && s->bin_end_ns == s->bin_end / 20;
}

void prove_update_bins(uint64_t then, uint64_t now_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && is_searching(&s) && now_ns > s.bin_end_ns);
    search_draft_09_update_bins(&s, 20 * now_ns);
    PROVE(is_searching(&s) && is_state(&s, now_ns));
}

static uint64_t latest_idx; /* of the state whose windows are asked for */

/* What prove_update_bins shows. */
void any_update_bins(struct search_draft_09 *s, uint64_t now) {
    struct search_draft_09 after = any_state(now / 20);
    PROVE(is_searching(s) && now / 20 > s->bin_end_ns);
    ASSUME(is_searching(&after) && after.bin_duration == s->bin_duration && after.rtt_ns == s->rtt_ns);
    ASSUME(after.max_datagram_size == s->max_datagram_size && after.drained_packets == s->drained_packets);
    latest_idx = after.curr_idx;
    *s = after;
}

struct ring {
    uint64_t bins[SEARCH_DRAFT_09_SENT_BINS]; /* or the first few */
};

struct ring any_ring(void); /* any */

/* A ring depends on indices only modulo its size, and on whether it was filled: twice its size has each place, and each way to pass bins. */
static void prove_ring(struct ring ring, uint64_t count, uint64_t idx, uint64_t passed_bins, uint64_t total) {
    uint64_t before;
    ASSUME(search_draft_09_totals_rise(ring.bins, count, idx, before) && before <= total && total < SEARCH_DRAFT_09_BYTES_LIMIT);
    search_draft_09_end_bins(ring.bins, count, idx, passed_bins, total);
    PROVE(search_draft_09_totals_rise(ring.bins, count, idx + passed_bins, total));
}

void prove_end_bins_of_acked(uint64_t total) {
    for (uint64_t idx = 0; idx < 2 * SEARCH_DRAFT_09_ACKED_BINS; idx++)
        for (uint64_t passed_bins = 1; passed_bins < 2 * SEARCH_DRAFT_09_ACKED_BINS; passed_bins++)
            prove_ring(any_ring(), SEARCH_DRAFT_09_ACKED_BINS, idx, passed_bins, total);
}

void prove_end_bins_of_sent(uint64_t total) {
    for (uint64_t idx = 0; idx < 2 * SEARCH_DRAFT_09_SENT_BINS; idx++)
        for (uint64_t passed_bins = 1; passed_bins < 2 * SEARCH_DRAFT_09_SENT_BINS; passed_bins++)
            prove_ring(any_ring(), SEARCH_DRAFT_09_SENT_BINS, idx, passed_bins, total);
}

/* What the two show enters the proofs of the rings alone. */
void any_end_bins(uint64_t *bins, uint64_t count, uint64_t idx, uint64_t passed_bins, uint64_t total) {
    (void)bins, (void)idx, (void)total;
    PROVE(count > 0 && passed_bins > 0);
}

static int is_window(uint64_t count, uint64_t curr_idx, uint64_t idx, uint64_t size) {
    return idx <= curr_idx && size <= idx && curr_idx - (idx - size) < count;
}

static void prove_window(const uint64_t *bins, uint64_t count, uint64_t total, uint64_t size) {
    for (uint64_t curr_idx = 0; curr_idx < 2 * count; curr_idx++)
        if (search_draft_09_totals_rise(bins, count, curr_idx, total))
            for (uint64_t idx = 0; idx <= curr_idx; idx++)
                if (is_window(count, curr_idx, idx, size))
                    PROVE(search_draft_09_window(bins, count, idx, size) < SEARCH_DRAFT_09_BYTES_LIMIT);
}

void prove_window_of_acked(uint64_t total) {
    uint64_t bins[SEARCH_DRAFT_09_ACKED_BINS];
    prove_window(bins, SEARCH_DRAFT_09_ACKED_BINS, total, SEARCH_DRAFT_09_W);
    prove_window(bins, SEARCH_DRAFT_09_ACKED_BINS, total, SEARCH_DRAFT_09_TARGET_BINS);
}

void prove_window_of_sent(uint64_t total) {
    uint64_t bins[SEARCH_DRAFT_09_SENT_BINS];
    prove_window(bins, SEARCH_DRAFT_09_SENT_BINS, total, SEARCH_DRAFT_09_W);
}

/* What the two show. */
uint64_t any_window(const uint64_t *bins, uint64_t count, uint64_t idx, uint64_t size) {
    uint64_t bytes;
    (void)bins;
    PROVE(is_window(count, latest_idx, idx, size) && (size == SEARCH_DRAFT_09_W || size == SEARCH_DRAFT_09_TARGET_BINS));
    ASSUME(bytes < SEARCH_DRAFT_09_BYTES_LIMIT);
    return bytes;
}

void prove_product(uint64_t a, uint64_t b) {
    PROVE(is_product(a, b, search_draft_09_product(a, b)));
}

/* What prove_product shows. */
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

/* What prove_below shows. */
int any_below(uint64_t bin_duration, uint64_t rest, uint64_t newer, uint64_t older, uint64_t curr_delv) {
    int below;
    PROVE(is_comparison(bin_duration, rest, newer, older, curr_delv));
    return below;
}

/* Of search: it is entered with a bin that has ended, or before the first. */
void prove_search(uint64_t then, uint64_t now_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && now_ns > s.bin_end_ns && (s.bin_duration == 0 || is_searching(&s)));
    search_draft_09_search(&s, now_ns);
    PROVE(is_state(&s, now_ns));
}

/* What prove_search shows. */
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
