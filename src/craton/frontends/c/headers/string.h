#ifndef _CRATON_STRING_H
#define _CRATON_STRING_H
#include <craton_features.h>
#include <stddef.h>
extern void *memcpy(void *to, const void *from, size_t n);
extern void *memmove(void *to, const void *from, size_t n);
extern void *memset(void *to, int c, size_t n);
extern int memcmp(const void *a, const void *b, size_t n);
extern void *memchr(const void *p, int c, size_t n);
extern size_t strlen(const char *s);
extern size_t strnlen(const char *s, size_t n);
extern char *strcpy(char *to, const char *from);
extern char *strncpy(char *to, const char *from, size_t n);
extern char *strcat(char *to, const char *from);
extern char *strncat(char *to, const char *from, size_t n);
extern int strcmp(const char *a, const char *b);
extern int strncmp(const char *a, const char *b, size_t n);
extern char *strchr(const char *s, int c);
extern char *strrchr(const char *s, int c);
extern char *strdup(const char *s);
extern char *stpcpy(char *to, const char *from);
extern char *stpncpy(char *to, const char *from, size_t n);
extern size_t strlcpy(char *to, const char *from, size_t n);
extern size_t strlcat(char *to, const char *from, size_t n);
extern void *memccpy(void *to, const void *from, int c, size_t n);
extern void *memrchr(const void *p, int c, size_t n);
extern void *rawmemchr(const void *p, int c);
extern char *strchrnul(const char *s, int c);
extern void *memmem(const void *p, size_t n, const void *q, size_t m);
extern char *strstr(const char *s, const char *t);
extern char *strcasestr(const char *s, const char *t);
extern size_t strspn(const char *s, const char *set);
extern size_t strcspn(const char *s, const char *set);
extern char *strpbrk(const char *s, const char *set);
extern char *strsep(char **s, const char *set);
extern char *strtok(char *s, const char *set);
extern char *strtok_r(char *s, const char *set, char **state);
extern int strcoll(const char *a, const char *b);
extern size_t strxfrm(char *to, const char *from, size_t n);
extern void explicit_bzero(void *p, size_t n);
extern void *mempcpy(void *to, const void *from, size_t n);
extern char *strndup(const char *s, size_t n);
extern char *strerror(int code);
extern char *strsignal(int code);
extern int strverscmp(const char *a, const char *b);
extern void bzero(void *p, size_t n);
extern void bcopy(const void *from, void *to, size_t n);
extern int bcmp(const void *a, const void *b, size_t n);
extern char *index(const char *s, int c);
extern char *rindex(const char *s, int c);
extern int strcasecmp(const char *a, const char *b);
extern int strncasecmp(const char *a, const char *b, size_t n);
extern int ffs(int x);
extern int strerror_r(int, char *, size_t);
#endif
