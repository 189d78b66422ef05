#ifndef _CRATON_ERR_H
#define _CRATON_ERR_H
#if defined(__x86_64__) && __has_include_next(<err.h>)
#include_next <err.h>
#else
extern void err(int code, const char *format, ...) __attribute__((noreturn));
extern void errx(int code, const char *format, ...) __attribute__((noreturn));
extern void warn(const char *format, ...);
extern void warnx(const char *format, ...);
#endif
#endif
