#include "search_draft_09.h"
#include "search_draft_09_invariant.h"
#include "proof.h"

/* A window depends on indices only by their difference and modulo 11 or 26: those below this are enough. */
#define EVERY_POSITION 64

/* The high word, of a bin_duration and bytes, or of a small factor. */
static int is_product(uint64_t a, uint64_t b, struct search_draft_09_wide product) {
    int of_bytes = a >> 62 > 0 || b >> 56 > 0 || product.high <= (UINT64_C(1) << 54) + 1;
    return of_bytes && (a >= 64 || product.high <= 64);
}

static struct search_draft_09 any_state(uint64_t then) {
    struct search_draft_09 s;
    ASSUME(then < TIME_END && search_draft_09_clock_invariant(&s, then) && search_draft_09_rings_invariant(&s));
    return s;
}

static void prove_invariant(const struct search_draft_09 *s, uint64_t now_ns) {
    PROVE(search_draft_09_clock_invariant(s, now_ns));
    PROVE(search_draft_09_rings_invariant(s));
}

void prove_begin(uint32_t max_datagram_size) {
    struct search_draft_09 s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < SIZE_END);
    search_draft_09_begin(&s, max_datagram_size);
    prove_invariant(&s, 0);
}

void prove_on_sent(uint64_t then, uint64_t bytes) {
    struct search_draft_09 s = any_state(then);
    ASSUME(bytes < SEARCH_DRAFT_09_BYTES_LIMIT - s.sent_bytes);
    search_draft_09_on_sent(&s, bytes);
    prove_invariant(&s, then);
}

void prove_count(uint64_t then, uint64_t bytes) {
    struct search_draft_09 s = any_state(then);
    ASSUME(bytes < SEARCH_DRAFT_09_BYTES_LIMIT - s.acked_bytes);
    search_draft_09_count(&s, bytes);
    prove_invariant(&s, then);
}

void prove_rtt(uint64_t then, uint64_t rtt_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(rtt_ns < TIME_END);
    search_draft_09_rtt(&s, rtt_ns);
    prove_invariant(&s, then);
}

void prove_restart(uint64_t then) {
    struct search_draft_09 s = any_state(then);
    search_draft_09_restart(&s);
    prove_invariant(&s, then);
}

/* A bin has ended; the drain has not begun. */
static int is_searching(const struct search_draft_09 *s) {
    return s->bin_duration > 0 && s->target_cwnd == 0 && s->bin_end_ns == s->bin_end / 20;
}

void prove_update_bins(uint64_t then, uint64_t now_ns) {
    struct search_draft_09 s = any_state(then);
    ASSUME(now_ns < TIME_END && now_ns >= then && is_searching(&s) && now_ns > s.bin_end_ns);
    search_draft_09_update_bins(&s, 20 * now_ns);
    PROVE(is_searching(&s));
    prove_invariant(&s, now_ns);
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

static int is_window(uint64_t count, uint64_t curr_idx, uint64_t idx, uint64_t size) {
    return idx <= curr_idx && size <= idx && curr_idx - (idx - size) < count;
}

void prove_window_of_acked(uint64_t curr_idx, uint64_t total, uint64_t idx, uint64_t size) {
    uint64_t bins[SEARCH_DRAFT_09_ACKED_BINS];
    ASSUME(curr_idx < EVERY_POSITION && search_draft_09_totals_rise(bins, SEARCH_DRAFT_09_ACKED_BINS, curr_idx, total));
    ASSUME(is_window(SEARCH_DRAFT_09_ACKED_BINS, curr_idx, idx, size));
    PROVE(search_draft_09_window(bins, SEARCH_DRAFT_09_ACKED_BINS, idx, size) < SEARCH_DRAFT_09_BYTES_LIMIT);
}

void prove_window_of_sent(uint64_t curr_idx, uint64_t total, uint64_t idx, uint64_t size) {
    uint64_t bins[SEARCH_DRAFT_09_SENT_BINS];
    ASSUME(curr_idx < EVERY_POSITION && search_draft_09_totals_rise(bins, SEARCH_DRAFT_09_SENT_BINS, curr_idx, total));
    ASSUME(is_window(SEARCH_DRAFT_09_SENT_BINS, curr_idx, idx, size));
    PROVE(search_draft_09_window(bins, SEARCH_DRAFT_09_SENT_BINS, idx, size) < SEARCH_DRAFT_09_BYTES_LIMIT);
}

/* What the two show. */
uint64_t any_window(const uint64_t *bins, uint64_t count, uint64_t idx, uint64_t size) {
    uint64_t bytes;
    PROVE(is_window(count, latest_idx, idx, size));
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
    prove_invariant(&s, now_ns);
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
    prove_invariant(&s, now_ns);
}
