/* What search_lanman_2024.h, which comes first, calls its invariant, in two parts: the clock and the ring of bins. */
#ifndef SEARCH_LANMAN_2024_INVARIANT_H
#define SEARCH_LANMAN_2024_INVARIANT_H

#define SEARCH_LANMAN_2024_BIN_LIMIT (UINT64_C(1) << 56) /* bytes of a bin are fewer */

/* now_ns: of the last ACK in slow start, 0 before the first. */
static inline int search_lanman_2024_clock_invariant(const struct search_lanman_2024 *s, uint64_t now_ns) {
    if (s->rtt_ns >> 59 > 0)
        return 0;
    if (s->bin_duration == 0)
        return s->bin_end_ns == 0;
    return s->rtt_ns > 0 && s->bin_duration >= 7 && s->bin_duration < 7 * (UINT64_C(1) << 59) && s->bin_end_ns == s->bin_end / 20 &&
           s->bin_end <= 20 * now_ns + s->bin_duration && s->curr <= s->bin_end;
}

/* The slots that were written; those of a ring that was filled once are all. */
static inline int search_lanman_2024_ring_invariant(const struct search_lanman_2024 *s) {
    if (s->bin_duration == 0)
        return 1;
    for (uint64_t i = 0; i < SEARCH_LANMAN_2024_TOTAL_BINS; i++)
        if (i < s->curr && s->bins[i] >= SEARCH_LANMAN_2024_BIN_LIMIT)
            return 0;
    return s->open_bytes < SEARCH_LANMAN_2024_BIN_LIMIT;
}

#endif
