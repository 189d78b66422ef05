/* What every text of the library begins with: types of the platform, and what the front end knows by name. */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
typedef __PTRDIFF_TYPE__ ssize_t;
typedef long off_t, time_t, clock_t, suseconds_t;
typedef int pid_t;
typedef unsigned int uid_t, gid_t, mode_t, useconds_t, wint_t, socklen_t;
typedef unsigned long pthread_t;
typedef struct _IO_FILE FILE;
typedef struct _craton_directory DIR;
typedef void (*sighandler_t)(int);
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
typedef struct { intmax_t quot, rem; } imaxdiv_t;
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; };
struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
extern void __craton_assume(int);                 /* runs where it is false are not considered */
extern void __craton_unmodelled(const char *);    /* what comes here is not modelled */
extern void __craton_rests_on(const char *);      /* an assumption that is printed */
extern void __craton_scramble(void *, size_t);    /* so many bytes become arbitrary */
extern void __craton_reads(const void *, size_t);  /* so many bytes are read: a question of memory safety alone */
extern void __craton_reads_text(const char *);    /* the same of a text with its end */
extern void __craton_there(const void *);         /* the same of something that nobody looks into */
extern void __craton_closes(const void *);       /* the same, and it is there no more */
extern void exit(int);                           /* what atexit was given is called, and the run ends */
extern int __craton_open_int(void);               /* any value that somebody outside chose: all __craton_open_… are */
extern char __craton_input_char(void);            /* a value that is an input of the program: all __craton_input_… are */
extern size_t __craton_open_size(void);
extern int __craton_any_int(void);                /* any value of the type: all __craton_any_… are */
extern unsigned char __craton_any_uchar(void);
extern size_t __craton_any_size(void);
extern void *__craton_any_pointer(void);
extern int *__errno_location(void);
#define errno (*__errno_location())
#define __CRATON_ENOMEM 12
#define __CRATON_EINVAL 22
#define __CRATON_EDOM 33
#define __CRATON_ERANGE 34
