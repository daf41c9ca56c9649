/* What only some compilers know: FF_RARE keeps a function that few events need out of line, so that the others do not pay for the registers
 * it takes; FF_C11 marks what C11 has and C++17 takes with a warning. */
#ifndef FIRSTFLIGHT_RARE_H
#define FIRSTFLIGHT_RARE_H

#if defined(__GNUC__)
#define FF_RARE __attribute__((noinline))
#define FF_C11 __extension__
#else
#define FF_RARE
#define FF_C11
#endif

#endif
