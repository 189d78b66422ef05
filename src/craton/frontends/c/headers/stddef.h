/* Craton's own headers: just declarations, so that programs can be read on machines without a C compiler. */
#ifndef _CRATON_STDDEF_H
#define _CRATON_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef struct {
    long long _integer __attribute__((__aligned__(__alignof__(long long))));
    long double _real __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
