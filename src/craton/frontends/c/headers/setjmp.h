#ifndef _CRATON_SETJMP_H
#define _CRATON_SETJMP_H
#if defined(__x86_64__) && __has_include_next(<setjmp.h>)
#include_next <setjmp.h>
#else
typedef struct { unsigned long _state[25]; } jmp_buf[1], sigjmp_buf[1];
extern int setjmp(jmp_buf) __attribute__((returns_twice));
extern int _setjmp(jmp_buf) __attribute__((returns_twice));
extern int sigsetjmp(sigjmp_buf, int) __attribute__((returns_twice));
extern void longjmp(jmp_buf, int) __attribute__((noreturn));
extern void _longjmp(jmp_buf, int) __attribute__((noreturn));
extern void siglongjmp(sigjmp_buf, int) __attribute__((noreturn));
#endif
#endif
