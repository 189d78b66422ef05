#ifndef _CRATON_STDLIB_H
#define _CRATON_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void *realloc(void *, size_t);
extern void *aligned_alloc(size_t, size_t);
extern void free(void *);
extern void abort(void) __attribute__((noreturn));
extern void exit(int) __attribute__((noreturn));
extern void _Exit(int) __attribute__((noreturn));
extern int atexit(void (*)(void));
extern int abs(int);
extern long labs(long);
extern long long llabs(long long);
extern int atoi(const char *);
extern long atol(const char *);
extern double atof(const char *);
extern long strtol(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
extern double strtod(const char *, char **);
extern int rand(void);
extern void srand(unsigned);
extern char *getenv(const char *);
extern void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#endif
