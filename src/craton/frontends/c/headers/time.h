#ifndef _CRATON_TIME_H
#define _CRATON_TIME_H
#if defined(__x86_64__) && __has_include_next(<time.h>)
#include_next <time.h>
#else
#include <stddef.h>
typedef long time_t, clock_t;
typedef int clockid_t;
#define CLOCKS_PER_SEC ((clock_t)1000000)
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#ifndef __struct_tm_defined /* the guards of glibc, whose other headers define these, too */
#define __struct_tm_defined 1
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };
#endif
#ifndef _STRUCT_TIMESPEC
#define _STRUCT_TIMESPEC 1
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
extern time_t time(time_t *t);
extern clock_t clock(void);
extern double difftime(time_t a, time_t b);
extern time_t mktime(struct tm *t);
extern struct tm *localtime(const time_t *t);
extern struct tm *gmtime(const time_t *t);
extern char *ctime(const time_t *t);
extern char *asctime(const struct tm *t);
extern size_t strftime(char *s, size_t n, const char *format, const struct tm *t);
extern int clock_gettime(int clock, struct timespec *t);
extern int nanosleep(const struct timespec *t, struct timespec *rest);
#endif
#endif
