/* The simulator leaves a run that cannot go on by longjmp: here it traps, and the caller makes a new instance. */
#ifndef FF_WASM_SETJMP_H
#define FF_WASM_SETJMP_H

typedef char jmp_buf[1];

#define setjmp(environment) ((void)(environment), 0)
#define longjmp(environment, value) ((void)(environment), (void)(value), ff_leave())

_Noreturn void ff_leave(void);

#endif
