/* Puts the computations of the C port behind the fifth function of firstflight_adapter.h. */
#include <stddef.h>
#include <string.h>

#include "firstflight/transfer_time/transfer_time.h"
#include "firstflight_adapter.h"

/* Where each input goes. */
static const struct {
    const char *name;
    size_t offset;
} places[] = {
    {"rate_bps", offsetof(struct ff_transfer_time_inputs, rate_bps)},
    {"rtt_ns", offsetof(struct ff_transfer_time_inputs, rtt_ns)},
    {"size_bytes", offsetof(struct ff_transfer_time_inputs, size_bytes)},
    {"mss_bytes", offsetof(struct ff_transfer_time_inputs, mss_bytes)},
    {"mtu_bytes", offsetof(struct ff_transfer_time_inputs, mtu_bytes)},
    {"initial_window_segments", offsetof(struct ff_transfer_time_inputs, initial_window_segments)},
    {"segments_per_ack", offsetof(struct ff_transfer_time_inputs, segments_per_ack)},
    {"threshold_bytes", offsetof(struct ff_transfer_time_inputs, threshold_bytes)},
    {"approved_rate_bps", offsetof(struct ff_transfer_time_inputs, approved_rate_bps)},
};

/* Missing inputs stay 0: the port refuses 0 if the scheme needs a positive value. */
static int read_inputs(const struct firstflight_computation *computation, struct ff_transfer_time_inputs *inputs)
{
    for (size_t i = 0; i < computation->input_count; i++) {
        size_t place = 0;
        while (place < sizeof places / sizeof places[0] && strcmp(places[place].name, computation->inputs[i].name) != 0) {
            place++;
        }
        if (place == sizeof places / sizeof places[0]) {
            return 0;
        }
        memcpy((char *)inputs + places[place].offset, &computation->inputs[i].value, sizeof(uint64_t));
    }
    return 1;
}

static void answer(struct firstflight_computed *computed, const char *name, uint64_t value)
{
    computed->outputs[computed->output_count++] = (struct firstflight_output){.name = name, .value = value};
}

static int compute_rate(const struct firstflight_computation *computation, struct firstflight_computed *computed)
{
    uint64_t code;
    uint64_t rate_bps;

    if (computation->input_count != 1 || strcmp(computation->inputs[0].name, "requested_rate_bps") != 0) {
        computed->reason = "quick-start-rate takes requested_rate_bps";
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    if (ff_quick_start_code(computation->inputs[0].value, &code, &rate_bps) != FF_OK) {
        computed->reason = "the requested rate is outside the domain";
        return FIRSTFLIGHT_REFUSED;
    }
    answer(computed, "code", code);
    answer(computed, "approved_rate_bps", rate_bps);
    return FIRSTFLIGHT_COMPUTED;
}

static int compute_time(const struct firstflight_computation *computation, struct firstflight_computed *computed)
{
    static char numerator[FF_WIDE_DECIMAL_SIZE];
    static char denominator[FF_WIDE_DECIMAL_SIZE];
    struct ff_transfer_time_inputs inputs = {0};
    struct ff_transfer_time time;

    if (!read_inputs(computation, &inputs)) {
        computed->reason = "unknown input";
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    switch (ff_transfer_time_compute(computation->profile, &inputs, &time)) {
    case FF_OK:
        break;
    case FF_ERR_UNKNOWN_PROFILE:
        computed->reason = "no such profile";
        return FIRSTFLIGHT_UNSUPPORTED;
    case FF_ERR_DOMAIN:
        computed->reason = "the inputs, or the response time, are outside the domain";
        return FIRSTFLIGHT_REFUSED;
    }
    (void)ff_wide_decimal(&time.gamma.numerator, numerator);
    (void)ff_wide_decimal(&time.gamma.denominator, denominator);
    answer(computed, "psi", time.psi);
    computed->outputs[computed->output_count++] =
        (struct firstflight_output){.name = "gamma", .numerator = numerator, .denominator = denominator};
    answer(computed, "gamma_ns", time.gamma_ns);
    answer(computed, "response_time_ns", time.response_time_ns);
    return FIRSTFLIGHT_COMPUTED;
}

int firstflight_adapter_compute(const struct firstflight_computation *computation, struct firstflight_computed *computed)
{
    if (strcmp(computation->algorithm, "transfer-time") != 0) {
        computed->reason = "no such algorithm";
        return FIRSTFLIGHT_UNSUPPORTED;
    }
    return strcmp(computation->profile, "quick-start-rate") == 0 ? compute_rate(computation, computed)
                                                                 : compute_time(computation, computed);
}
