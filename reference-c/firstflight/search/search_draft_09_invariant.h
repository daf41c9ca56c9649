/* The invariant of search_draft_09.h in three parts: the clock and two rings of totals. Include that header first. */
#ifndef SEARCH_DRAFT_09_INVARIANT_H
#define SEARCH_DRAFT_09_INVARIANT_H

#define SEARCH_DRAFT_09_BYTES_LIMIT (UINT64_C(1) << 56) /* bound of sent or delivered bytes (docs/proof.md) */

/* now_ns: time of the last ACK in slow start, 0 before the first. */
static inline int search_draft_09_clock_invariant(const struct search_draft_09 *s, uint64_t now_ns) {
    int sizes = s->max_datagram_size >= 1 && s->max_datagram_size < 65536 && s->drained_packets < 3;
    if (!sizes || s->rtt_ns >> 59 > 0 || s->target_cwnd >> 62 > 0)
        return 0;
    if (s->bin_duration == 0)
        return s->bin_end_ns == 0 && s->target_cwnd == 0;
    return s->rtt_ns > 0 && s->bin_duration >= 7 && s->bin_duration < 7 * (UINT64_C(1) << 59) &&
           s->bin_end <= 20 * now_ns + s->bin_duration && s->curr_idx <= s->bin_end &&
           s->bin_end_ns == (s->target_cwnd > 0 ? 0 : s->bin_end / 20);
}

/* Totals up to curr_idx never fall and are at most the present total. A ring that was never full ends at curr_idx. */
static inline int search_draft_09_totals_rise(const uint64_t *bins, uint64_t count, uint64_t curr_idx, uint64_t total) {
    uint64_t latest = curr_idx % count;
    int rise = total < SEARCH_DRAFT_09_BYTES_LIMIT && bins[latest] <= total;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t next = i + 1 < count ? i + 1 : 0;
        int written = curr_idx >= count || i < curr_idx;
        rise &= !written | (i == latest) | (bins[i] <= bins[next]);
    }
    return rise;
}

static inline int search_draft_09_rings_invariant(const struct search_draft_09 *s) {
    if (s->bin_duration == 0)
        return s->acked_bytes < SEARCH_DRAFT_09_BYTES_LIMIT && s->sent_bytes < SEARCH_DRAFT_09_BYTES_LIMIT;
    return search_draft_09_totals_rise(s->acked_bins, SEARCH_DRAFT_09_ACKED_BINS, s->curr_idx, s->acked_bytes) &&
           search_draft_09_totals_rise(s->sent_bins, SEARCH_DRAFT_09_SENT_BINS, s->curr_idx, s->sent_bytes);
}

#endif
