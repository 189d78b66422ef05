/* What headers of glibc say of themselves and of the machine, as programs ask it with `#if`: a name that is not defined
   counts as zero there. Their own `features.h` may come later, and defines the same. */
#ifndef _CRATON_FEATURES_H
#define _CRATON_FEATURES_H
#define __GNU_LIBRARY__ 6
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 36
#ifdef __LP64__
#define __WORDSIZE 64
#define __WORDSIZE_TIME64_COMPAT32 1
#define __SYSCALL_WORDSIZE 64
#else
#define __WORDSIZE 32
#define __WORDSIZE32_SIZE_ULONG 0
#define __WORDSIZE32_PTRDIFF_LONG 0
#define __WORDSIZE_TIME64_COMPAT32 0
#endif
#define __TIMESIZE __WORDSIZE
#if defined _GNU_SOURCE \
    || !(defined __STRICT_ANSI__ || defined _ISOC99_SOURCE || defined _ISOC11_SOURCE || defined _ISOC2X_SOURCE \
         || defined _POSIX_SOURCE || defined _POSIX_C_SOURCE || defined _XOPEN_SOURCE)
#undef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1
#endif
#ifdef _DEFAULT_SOURCE
#undef _POSIX_SOURCE
#define _POSIX_SOURCE 1
#undef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#elif !defined _POSIX_SOURCE && !defined _POSIX_C_SOURCE && (!defined __STRICT_ANSI__ || _XOPEN_SOURCE + 0 >= 500)
#define _POSIX_SOURCE 1
#if !defined _XOPEN_SOURCE || _XOPEN_SOURCE + 0 >= 700
#define _POSIX_C_SOURCE 200809L
#elif _XOPEN_SOURCE + 0 >= 600
#define _POSIX_C_SOURCE 200112L
#elif _XOPEN_SOURCE + 0 >= 500
#define _POSIX_C_SOURCE 199506L
#else
#define _POSIX_C_SOURCE 2
#endif
#endif
#endif
