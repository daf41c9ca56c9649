/*
 * Parameters that connections leave for later ones: per destination and network namespace, for ten minutes, at most
 * 4096 of them. The map drops the least recently used entry when it is full. A connection takes its entry out of the
 * map when it uses it.
 */
#ifndef FIRSTFLIGHT_BPF_SAVED_H
#define FIRSTFLIGHT_BPF_SAVED_H

#include "tcp.h"

#define LIFETIME_NS UINT64_C(600000000000)

struct destination {
    uint64_t namespace;
    uint32_t address[4];
};

struct saved {
    uint64_t cwnd_bytes, rtt_ns, expires_ns;
};

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, 4096);
    __type(key, struct destination);
    __type(value, struct saved);
} saved SEC(".maps");

static inline struct destination destination(const struct sock *sk) {
    const struct sock_common *common = &sk->__sk_common;
    struct destination d = {common->skc_net.net->net_cookie, {common->skc_daddr, 0, 0, 0}};
    if (common->skc_family == AF_INET6)
        for (int i = 0; i < 4; i++)
            d.address[i] = common->skc_v6_daddr.in6_u.u6_addr32[i];
    return d;
}

static inline void save(const struct sock *sk, uint64_t cwnd_bytes, uint64_t rtt_ns, uint64_t now) {
    struct destination d = destination(sk);
    struct saved s = {cwnd_bytes, rtt_ns, now + LIFETIME_NS};
    bpf_map_update_elem(&saved, &d, &s, BPF_ANY);
}

static inline void forget(const struct sock *sk) {
    struct destination d = destination(sk);
    bpf_map_delete_elem(&saved, &d);
}

/* Take the entry of the destination out of the map; return whether there was one. */
static inline int take(const struct sock *sk, struct saved *taken) {
    struct destination d = destination(sk);
    struct saved *found = bpf_map_lookup_elem(&saved, &d);
    if (!found)
        return 0;
    *taken = *found;
    bpf_map_delete_elem(&saved, &d);
    return 1;
}

#endif
