/* Records of a connection, for tests: they are replayed in the model. Needs <stdint.h>. */
#ifndef FIRSTFLIGHT_BPF_TRACE_H
#define FIRSTFLIGHT_BPF_TRACE_H

/* ACK: window before it, segments delivered, application-limited. SENT: bytes sent since the last. BACKLOG: bytes
 * that wait, bytes that the receiver allows, RTT. SAVED: window, RTT and lifetime of a saved set. RATE:
 * delivery-rate sample of the ACK that follows. LOSS: none. */
enum trace_kind { TRACE_ACK, TRACE_SENT, TRACE_BACKLOG, TRACE_SAVED, TRACE_RATE, TRACE_LOSS };

/* State after the event: cwnd and ssthresh in segments, rest in bytes. */
struct trace_record {
    uint64_t kind, socket, now_ns, rtt_ns, sent, acked, in_flight;
    uint64_t cwnd, rest, ssthresh, state, mss, srtt_us;
    uint64_t values[6];
};

#endif
