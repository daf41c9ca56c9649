/* Data that has arrived at the receiver. */
#include "flow.h"

/*
 * Count an arrived packet. Links preserve order, so its number is larger than all before. A lost retransmission stays
 * missing, so the span has one byte for each packet after the first of these.
 */
void sim_delivered_add(struct sim_delivered *delivered, const struct sim_data *data)
{
    bool *missing = NULL;

    while (delivered->missing.end < data->packet) {
        *(bool *)sim_span_add(&delivered->missing) = true;
    }
    *(bool *)sim_span_add(&delivered->missing) = false;
    while (delivered->missing.oldest < data->packet && !*(bool *)sim_span_at(&delivered->missing, delivered->missing.oldest)) {
        delivered->missing.oldest++;
    }
    if (data->name >= delivered->missing.oldest && data->name != SIM_NONE) {
        missing = sim_span_at(&delivered->missing, data->name);
    }
    if (data->name == SIM_NONE || (missing != NULL && *missing)) {
        delivered->bytes += data->size_bytes;
    }
    if (missing != NULL) {
        *missing = false;
    }
}
