/* The invariant of search_draft_00.h in two parts: the clock and the ring of bins. Include that header first. */
#ifndef SEARCH_DRAFT_00_INVARIANT_H
#define SEARCH_DRAFT_00_INVARIANT_H

#define SEARCH_DRAFT_00_BYTES_LIMIT (UINT64_C(1) << 56) /* bound of delivered bytes (docs/proof.md) */

/* now_ns: time of the last ACK in slow start, 0 before the first. */
static inline int search_draft_00_clock_invariant(const struct search_draft_00 *s, uint64_t now_ns) {
    if (s->rtt_ns >> 59 > 0)
        return 0;
    if (s->bin_duration == 0)
        return s->bin_end_ns == 0 && s->completed == 0;
    return s->rtt_ns > 0 && s->bin_duration >= 7 && s->bin_duration < 7 * (UINT64_C(1) << 59) && s->bin_end_ns == s->bin_end / 20 &&
           s->bin_end <= 20 * now_ns + s->bin_duration && s->completed < s->bin_end;
}

static inline int search_draft_00_ring_invariant(const struct search_draft_00 *s) {
    for (int i = 0; i < SEARCH_DRAFT_00_NUM_BINS; i++)
        if (s->bins[i] >= SEARCH_DRAFT_00_BYTES_LIMIT)
            return 0;
    return s->sequence_num < SEARCH_DRAFT_00_BYTES_LIMIT && (s->bin_duration == 0 || s->prev_seq_num <= s->sequence_num);
}

#endif
