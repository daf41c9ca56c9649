/* Types and constants that the headers of libbpf expect from the kernel's headers, and the licence that kernel
 * functions ask for. */
#ifndef FIRSTFLIGHT_BPF_TYPES_H
#define FIRSTFLIGHT_BPF_TYPES_H

#include <stdint.h>

typedef uint8_t __u8;
typedef int16_t __s16;
typedef uint16_t __u16, __be16;
typedef int32_t __s32;
typedef uint32_t __u32, __be32, __wsum;
typedef int64_t __s64;
typedef uint64_t __u64;

/* Two constants of the kernel's linux/bpf.h that bpf_helpers.h leaves to it. */
enum { BPF_MAP_TYPE_LRU_HASH = 9, BPF_MAP_TYPE_SK_STORAGE = 24, BPF_MAP_TYPE_RINGBUF = 27, BPF_F_NO_PREALLOC = 1 };
enum { BPF_SK_STORAGE_GET_F_CREATE = 1, BPF_ANY = 0 };

#include <bpf/bpf_helpers.h>

/* BPF functions take at most five arguments and return no struct: the functions of the headers are inlined. */
#define inline __inline__ __attribute__((always_inline))

char _license[] SEC("license") = "GPL";

#endif
