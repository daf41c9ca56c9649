/*
 * Common macros of all proofs. CBMC treats the result of an undefined function, and an uninitialised local variable, as
 * any value of the type. A proof assumes the invariant and the domain, calls the function, and asserts the invariant
 * again.
 */
#ifndef PROOF_H
#define PROOF_H

#include <stdint.h>

#define ASSUME(condition) __CPROVER_assume(condition)
#define PROVE(condition) __CPROVER_assert(condition, #condition)

#define TIME_END (UINT64_C(1) << 59)   /* times and RTTs are below it, in ns */
#define WINDOW_END (UINT64_C(1) << 62) /* windows and packet numbers are below it */
#define ACK_END (UINT64_C(1) << 48)    /* bytes of an ACK are fewer */
#define SIZE_END 65536                 /* packets are smaller, and runs hold fewer of them */

#endif
