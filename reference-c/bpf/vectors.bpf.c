/*
 * Answers the events of the project's vectors in the kernel, by BPF_PROG_RUN. The driver of a header (DRIVER) becomes
 * two programs; event and answer are in memory shared with vectors.c.
 */
#include "types.h"
#include "drive.h"

struct {
    uint64_t max_datagram_size, initial_window;
    struct drive_event event;
    uint64_t cwnd, ssthresh, next_release_ns, triggers;
    int outcome;
    char header[32], phase[32];
} shared SEC(".data.shared");

#include HEADER
#include "newreno_rfc_9002.h"

/* No BPF function returns a struct: everything is inlined. */
#pragma clang diagnostic ignored "-Wignored-attributes"
#pragma clang diagnostic ignored "-Wunused-function"
#define static static __attribute__((always_inline))
#include DRIVER
#undef static

/* The optimiser splits and shrinks static variables whose address is never taken, and then describes them wrongly. */
#define KEEP(variable) __asm__ volatile("" : : "r"(&(variable)));

SEC("syscall") int begin(void *context) {
    STATES
    drive_begin(shared.max_datagram_size, shared.initial_window);
    return 0;
}

SEC("syscall") int event(void *context) {
    struct drive_answer answer = drive_on_event(&shared.event);
    shared.cwnd = answer.cwnd_bytes;
    shared.ssthresh = answer.ssthresh_bytes;
    shared.next_release_ns = answer.next_release_ns;
    shared.triggers = answer.triggers;
    shared.outcome = answer.outcome;
    bpf_probe_read_kernel_str(shared.header, sizeof shared.header, answer.header);
    bpf_probe_read_kernel_str(shared.phase, sizeof shared.phase, answer.phase);
    return 0;
}
