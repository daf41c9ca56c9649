/* The invariant of search_lanman_2024.h in two parts: the clock and the ring of bins. Include that header first. */
#ifndef SEARCH_LANMAN_2024_INVARIANT_H
#define SEARCH_LANMAN_2024_INVARIANT_H

#define SEARCH_LANMAN_2024_BIN_LIMIT (UINT64_C(1) << 56) /* exclusive bound of the bytes of a bin */

/* now_ns: time of the last ACK in slow start, 0 before the first. */
static inline int search_lanman_2024_clock_invariant(const struct search_lanman_2024 *s, uint64_t now_ns) {
    if (s->rtt_ns >> 59 > 0)
        return 0;
    if (s->bin_duration == 0)
        return s->bin_end_ns == 0;
    return s->rtt_ns > 0 && s->bin_duration >= 7 && s->bin_duration < 7 * (UINT64_C(1) << 59) && s->bin_end_ns == s->bin_end / 20 &&
           s->bin_end <= 20 * now_ns + s->bin_duration && s->curr <= s->bin_end;
}

/* Check the written slots: slot i if i < curr, so every slot once the ring was full. */
static inline int search_lanman_2024_ring_invariant(const struct search_lanman_2024 *s) {
    if (s->bin_duration == 0)
        return 1;
    for (uint64_t i = 0; i < SEARCH_LANMAN_2024_TOTAL_BINS; i++)
        if (i < s->curr && s->bins[i] >= SEARCH_LANMAN_2024_BIN_LIMIT)
            return 0;
    return s->open_bytes < SEARCH_LANMAN_2024_BIN_LIMIT;
}

#endif
