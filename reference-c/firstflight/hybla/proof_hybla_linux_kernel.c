#include "hybla_linux_kernel.h"
#include "hybla_linux_kernel_invariant.h"
#include "proof.h"

void prove_begin(uint32_t max_datagram_size) {
    struct hybla_linux_kernel s;
    ASSUME(max_datagram_size >= 1 && max_datagram_size < UINT32_C(1) << 16);
    hybla_linux_kernel_begin(&s, max_datagram_size);
    PROVE(hybla_linux_kernel_invariant(&s));
}

void prove_on_rtt(uint64_t srtt) {
    struct hybla_linux_kernel s;
    ASSUME(hybla_linux_kernel_invariant(&s) && srtt < TIME_END);
    hybla_linux_kernel_on_rtt(&s, srtt);
    PROVE(hybla_linux_kernel_invariant(&s));
}

void prove_on_ack(uint64_t ssthresh, uint64_t cwnd) {
    struct hybla_linux_kernel s;
    uint64_t before = cwnd;
    ASSUME(hybla_linux_kernel_invariant(&s) && cwnd >= 1 && cwnd < WINDOW_END);
    hybla_linux_kernel_on_ack(&s, ssthresh, &cwnd);
    PROVE(hybla_linux_kernel_invariant(&s));
    PROVE(cwnd >= before && cwnd - before < UINT64_C(1) << 33);
}
