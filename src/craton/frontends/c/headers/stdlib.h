#ifndef _CRATON_STDLIB_H
#define _CRATON_STDLIB_H
#include <craton_features.h>
#ifdef _DEFAULT_SOURCE
#include <craton_endian.h>
#define LITTLE_ENDIAN __LITTLE_ENDIAN
#define BIG_ENDIAN __BIG_ENDIAN
#define PDP_ENDIAN __PDP_ENDIAN
#define BYTE_ORDER __BYTE_ORDER
#endif
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
extern void *malloc(size_t n);
extern void *calloc(size_t n, size_t size);
extern void *realloc(void *p, size_t n);
extern void *aligned_alloc(size_t alignment, size_t n);
extern void *valloc(size_t n);
extern void *reallocarray(void *p, size_t n, size_t size);
extern int posix_memalign(void **p, size_t alignment, size_t n);
extern void free(void *p);
extern void abort(void) __attribute__((noreturn));
extern void exit(int code) __attribute__((noreturn));
extern void _Exit(int code) __attribute__((noreturn));
extern void quick_exit(int code) __attribute__((noreturn));
extern int atexit(void (*f)(void));
extern int at_quick_exit(void (*f)(void));
extern int on_exit(void (*f)(int, void *), void *p);
extern int system(const char *command);
extern int abs(int x);
extern long labs(long x);
extern long long llabs(long long x);
extern div_t div(int a, int b);
extern ldiv_t ldiv(long a, long b);
extern lldiv_t lldiv(long long a, long long b);
extern int atoi(const char *s);
extern long atol(const char *s);
extern long long atoll(const char *s);
extern double atof(const char *s);
extern long strtol(const char *s, char **end, int base);
extern long long strtoll(const char *s, char **end, int base);
extern unsigned long strtoul(const char *s, char **end, int base);
extern unsigned long long strtoull(const char *s, char **end, int base);
extern double strtod(const char *s, char **end);
extern float strtof(const char *s, char **end);
extern long double strtold(const char *s, char **end);
extern void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
extern void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
extern int rand(void);
extern void srand(unsigned seed);
extern int rand_r(unsigned *seed);
extern long random(void);
extern void srandom(unsigned seed);
extern double drand48(void);
extern long lrand48(void);
extern long mrand48(void);
extern void srand48(long seed);
extern char *getenv(const char *name);
extern char *secure_getenv(const char *name);
extern int setenv(const char *name, const char *value, int overwrite);
extern int unsetenv(const char *name);
extern int putenv(char *text);
extern char *realpath(const char *path, char *result);
extern int mkstemp(char *name);
extern int mblen(const char *s, size_t n);
extern int mbtowc(wchar_t *w, const char *s, size_t n);
extern int wctomb(char *s, wchar_t w);
extern size_t mbstowcs(wchar_t *w, const char *s, size_t n);
extern size_t wcstombs(char *s, const wchar_t *w, size_t n);
#include <alloca.h>
#endif
