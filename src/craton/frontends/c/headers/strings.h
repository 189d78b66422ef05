#ifndef _CRATON_STRINGS_H
#define _CRATON_STRINGS_H
#include <craton_features.h>
#include <stddef.h>
extern void bzero(void *p, size_t n);
extern void bcopy(const void *from, void *to, size_t n);
extern int bcmp(const void *a, const void *b, size_t n);
extern char *index(const char *s, int c);
extern char *rindex(const char *s, int c);
extern int strcasecmp(const char *a, const char *b);
extern int strncasecmp(const char *a, const char *b, size_t n);
extern int ffs(int x);
#endif
