/* The invariant of newreno_rfc_9002.h; include that header first. */
#ifndef NEWRENO_RFC_9002_INVARIANT_H
#define NEWRENO_RFC_9002_INVARIANT_H

static inline int newreno_rfc_9002_invariant(const struct newreno_rfc_9002 *s) {
    int threshold = s->ssthresh == NEWRENO_RFC_9002_INFINITE || s->ssthresh <= NEWRENO_RFC_9002_WINDOW_MAX;
    int size = s->max_datagram_size >= 1 && s->max_datagram_size < 65536;
    return size && threshold && s->congestion_window <= NEWRENO_RFC_9002_WINDOW_MAX && (s->in_recovery == 0 || s->in_recovery == 1);
}

#endif
