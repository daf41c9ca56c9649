/*
 * What every proof here is written in. CBMC takes an undefined function for any value of its type, and a local variable that is not
 * initialised for any value: a proof assumes what the invariant and the domain admit, calls the function, and asserts the invariant again.
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
