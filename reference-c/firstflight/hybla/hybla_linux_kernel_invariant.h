/* The invariant of hybla_linux_kernel.h; include that header first. */
#ifndef HYBLA_LINUX_KERNEL_INVARIANT_H
#define HYBLA_LINUX_KERNEL_INVARIANT_H

static inline int hybla_linux_kernel_invariant(const struct hybla_linux_kernel *s) {
    int datagram = s->max_datagram_size >= 1 && s->max_datagram_size < UINT32_C(1) << 16;
    return datagram && s->rho_3ls >= 8 && s->rho_3ls <= HYBLA_LINUX_KERNEL_RHO_3LS_MAX && s->cents < 128;
}

#endif
