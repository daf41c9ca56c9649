/* The state of Quick-Start. Mirrors reference-py/src/firstflight/quick_start/state.py. */
#include "firstflight/quick_start/state.h"

#include "firstflight/limits.h"
#include "firstflight/minmax.h"
#include "firstflight/observables.h"

void ff_quick_start_set_in_flight(struct ff_quick_start *state, uint64_t bytes_in_flight)
{
    state->in_flight_bytes = ff_min(bytes_in_flight, FF_WINDOW_MAX_BYTES);
}

/* Below 2^34: a packet has less than 2^16 + 2^8 bytes, and (2^16 + 2^8) * 200000 < 2^34. */
uint64_t ff_quick_start_packet_ns(const struct ff_quick_start_readings *readings, uint64_t datagram_bytes)
{
    return (datagram_bytes + readings->header_bytes) * FF_QUICK_START_BYTE_NS;
}

uint64_t ff_quick_start_window_packets(const struct ff_quick_start_readings *readings, uint64_t datagram_bytes, uint64_t rtt_ns)
{
    uint64_t whole_ns = ff_quick_start_packet_ns(readings, datagram_bytes);
    /* Quotient and rest of rtt_ns / whole_ns are below 2^42 and 2^34, since whole_ns is at least 200000; N is at most
     * 15. */
    uint64_t quotient = rtt_ns / whole_ns << readings->rate_code; /* [quick-start.window] */
    uint64_t packets = quotient + (rtt_ns % whole_ns << readings->rate_code) / whole_ns; /* [quick-start.window.whole] */

    if (packets > FF_JUMP_MAX_BYTES / datagram_bytes) {
        return FF_JUMP_MAX_BYTES / datagram_bytes; /* [quick-start.window.maximum] */
    }
    return packets;
}

uint64_t ff_quick_start_next_release_ns(const struct ff_quick_start_readings *readings, const struct ff_quick_start *state,
                                        uint64_t datagram_bytes)
{
    if (!state->quick || state->sent_packets >= state->planned_packets) {
        return FF_NONE;
    }
    /* A window has less than 2^29 bytes and less than 2^29 datagrams; a header takes less than 2^26 ns: the product is
     * below 2^56. */
    uint64_t offset_ns = (state->sent_packets * ff_quick_start_packet_ns(readings, datagram_bytes)) >> readings->rate_code;
    return state->start_ns + offset_ns; /* [quick-start.pacing] [quick-start.pacing.times] */
}

void ff_quick_start_end_mode(struct ff_quick_start *state)
{
    if (state->quick) {
        state->quick = false;
        state->end_quick = state->next_packet;
    }
}

uint64_t ff_quick_start_quick_packets(const struct ff_quick_start *state, uint64_t first, uint64_t last)
{
    if (state->first_quick == FF_NO_PACKET) {
        return 0;
    }
    uint64_t end = ff_min(last + 1, state->end_quick); /* FF_NO_PACKET is the largest number */
    uint64_t begin = ff_max(first, state->first_quick);
    return end > begin ? end - begin : 0;
}

uint64_t ff_quick_start_quick_packets_of(const struct ff_quick_start *state, const struct ff_run *runs, size_t run_count)
{
    uint64_t packets = 0;

    for (size_t i = 0; i < run_count; i++) {
        packets += ff_quick_start_quick_packets(state, runs[i].first, runs[i].last);
    }
    return packets;
}

uint64_t ff_quick_start_delivered_packets(const struct ff_quick_start *state)
{
    if (state->first_quick == FF_NO_PACKET) {
        return 0;
    }
    uint64_t end = state->end_quick == FF_NO_PACKET ? state->next_packet : state->end_quick;
    uint64_t sent = end - state->first_quick; /* packet numbers increase */
    return sent > state->lost_packets ? sent - state->lost_packets : 0;
}
