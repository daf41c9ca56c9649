/* Extensions of some compilers. FF_RARE keeps a function for rare events out of line, so that common events do not save
 * its registers. FF_C11 marks features of C11 that C++17 compilers accept with a warning. */
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
