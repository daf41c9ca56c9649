/* The invariant of suss_linux_6_8.h; include that header first. */
#ifndef SUSS_LINUX_6_8_INVARIANT_H
#define SUSS_LINUX_6_8_INVARIANT_H

/* Bounds of the quotients of a train. */
static inline int suss_linux_6_8_train_invariant(const struct suss_linux_6_8 *s) {
    return s->prev_delta_t_bat < UINT64_C(1) << 39 && s->rate < UINT64_C(1) << 39;
}

static inline int suss_linux_6_8_invariant(const struct suss_linux_6_8 *s) {
    int datagram = s->max_datagram_size >= 1 && s->max_datagram_size < UINT64_C(1) << 16;
    int rounds = s->round_no >= 1 && s->round_no <= SUSS_LINUX_6_8_ROUND_MAX && s->r_minupdate <= s->round_no;
    uint64_t tail_is_ahead = s->tail_seq < s->head_seq;
    int jumps = s->num_of_jump <= SUSS_LINUX_6_8_SUSS_MAX && s->num_of_jump + tail_is_ahead < s->round_no;
    int counts = s->blue_cnt <= SUSS_LINUX_6_8_BLUE_MAX && s->head_seq <= UINT64_C(1) << 62;
    int rtts = s->delay_min < UINT64_C(1) << 50 && (s->delay_min > 0 || s->curr_rtt == SUSS_LINUX_6_8_NONE);
    int begun = s->round_no > 1 || s->head_seq == 0;
    return datagram && rounds && begun && jumps && counts && rtts && suss_linux_6_8_train_invariant(s);
}

#endif
