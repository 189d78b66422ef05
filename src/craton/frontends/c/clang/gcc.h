/* Words of gcc that clang does not know, for texts that gcc preprocessed. Included before every file. */
#define __malloc__(...) __malloc__ /* attribute: (deallocator, position) */
#define __PRETTY_FUNCTION__ __FUNCTION__ /* the same in C */

/* Macros that gcc defines otherwise, or alone: programs ask them how wide their types are. */
#undef __VERSION__
#define __VERSION__ "12.2.0"
#define __GCC_IEC_559 2
#define __GCC_IEC_559_COMPLEX 2
#undef __INT_FAST16_TYPE__
#undef __INT_FAST16_MAX__
#undef __INT_FAST16_WIDTH__
#undef __UINT_FAST16_TYPE__
#undef __UINT_FAST16_MAX__
#undef __INT_FAST32_TYPE__
#undef __INT_FAST32_MAX__
#undef __INT_FAST32_WIDTH__
#undef __UINT_FAST32_TYPE__
#undef __UINT_FAST32_MAX__
#ifdef __LP64__
#define __INT_FAST16_TYPE__ long int
#define __UINT_FAST16_TYPE__ long unsigned int
#else
#define __INT_FAST16_TYPE__ int
#define __UINT_FAST16_TYPE__ unsigned int
#endif
#define __INT_FAST16_MAX__ __INTPTR_MAX__
#define __INT_FAST16_WIDTH__ __INTPTR_WIDTH__
#define __UINT_FAST16_MAX__ __UINTPTR_MAX__
#define __INT_FAST32_TYPE__ __INT_FAST16_TYPE__
#define __INT_FAST32_MAX__ __INT_FAST16_MAX__
#define __INT_FAST32_WIDTH__ __INT_FAST16_WIDTH__
#define __UINT_FAST32_TYPE__ __UINT_FAST16_TYPE__
#define __UINT_FAST32_MAX__ __UINT_FAST16_MAX__
#define __SCHAR_WIDTH__ 8
#define __LONG_LONG_WIDTH__ 64
#define __WCHAR_MIN__ (-__WCHAR_MAX__ - 1)
#define __WINT_MIN__ 0U
#define __FLOAT_WORD_ORDER__ __BYTE_ORDER__
#define __STDC_IEC_559__ 1
#define __STDC_IEC_60559_BFP__ 201404L
#define __STDC_ISO_10646__ 201706L

typedef float _Float32;
typedef double _Float32x;
typedef double _Float64;
typedef long double _Float64x;
typedef __float128 _Float128;

/* Builtins of gcc that clang does not have, with the types of the functions they stand for. */
#ifdef __SIZEOF_INT128__
unsigned __int128 __builtin_bswap128(unsigned __int128 x);
#endif
void __builtin__Exit(int code) __attribute__((noreturn));
void __builtin__exit(int code) __attribute__((noreturn));
void *__builtin_aligned_alloc(__SIZE_TYPE__ alignment, __SIZE_TYPE__ n);
void __builtin_exit(int code) __attribute__((noreturn));
int __builtin_fprintf(void *f, const char *format, ...);
int __builtin_fputc(int c, void *f);
int __builtin_fputs(const char *s, void *f);
int __builtin_fscanf(void *f, const char *format, ...);
__SIZE_TYPE__ __builtin_fwrite(const void *p, __SIZE_TYPE__ size, __SIZE_TYPE__ n, void *f);
__INTMAX_TYPE__ __builtin_imaxabs(__INTMAX_TYPE__ x);
int __builtin_isalnum(int c);
int __builtin_isalpha(int c);
int __builtin_isascii(int c);
int __builtin_isblank(int c);
int __builtin_iscntrl(int c);
int __builtin_isdigit(int c);
int __builtin_isgraph(int c);
int __builtin_islower(int c);
int __builtin_isprint(int c);
int __builtin_ispunct(int c);
int __builtin_isspace(int c);
int __builtin_isupper(int c);
int __builtin_isxdigit(int c);
int __builtin_posix_memalign(void **p, __SIZE_TYPE__ alignment, __SIZE_TYPE__ n);
int __builtin_putc(int c, void *f);
int __builtin_putchar(int c);
int __builtin_puts(const char *s);
__SIZE_TYPE__ __builtin_strftime(char *s, __SIZE_TYPE__ n, const char *format, const void *t);
__SIZE_TYPE__ __builtin_strnlen(const char *s, __SIZE_TYPE__ n);
int __builtin_toascii(int c);
int __builtin_tolower(int c);
int __builtin_toupper(int c);
int __builtin_vfprintf(void *f, const char *format, __builtin_va_list arguments);
int __builtin_vfscanf(void *f, const char *format, __builtin_va_list arguments);
int __builtin_fork(void);
#define CRATON_REAL(suffix, real) \
    real __builtin_drem##suffix(real x, real y); \
    real __builtin_gamma##suffix(real x); \
    real __builtin_j0##suffix(real x); \
    real __builtin_j1##suffix(real x); \
    real __builtin_jn##suffix(int n, real x); \
    real __builtin_scalb##suffix(real x, real n); \
    real __builtin_significand##suffix(real x); \
    void __builtin_sincos##suffix(real x, real *s, real *c); \
    real __builtin_y0##suffix(real x); \
    real __builtin_y1##suffix(real x); \
    real __builtin_yn##suffix(int n, real x);
CRATON_REAL(, double)
CRATON_REAL(f, float)
CRATON_REAL(l, long double)
#undef CRATON_REAL
/* Overflow alone, without a result. */
#define __CRATON_OVERFLOWS(op, a, b, c) \
    ({ __typeof__((__typeof__(c))0) __craton_r; (void)(c); __builtin_##op##_overflow(a, b, &__craton_r); })
#define __builtin_add_overflow_p(a, b, c) __CRATON_OVERFLOWS(add, a, b, c)
#define __builtin_sub_overflow_p(a, b, c) __CRATON_OVERFLOWS(sub, a, b, c)
#define __builtin_mul_overflow_p(a, b, c) __CRATON_OVERFLOWS(mul, a, b, c)
/* Calls that know how large their target is; a larger text is undefined without that, too. */
#define __builtin___mempcpy_chk(to, from, n, size) ((void)(size), __builtin_mempcpy(to, from, n))
#define __builtin___strcat_chk(to, from, size) ((void)(size), __builtin_strcat(to, from))
#define __builtin___strncpy_chk(to, from, n, size) ((void)(size), __builtin_strncpy(to, from, n))
#define __builtin___strncat_chk(to, from, n, size) ((void)(size), __builtin_strncat(to, from, n))
#define __builtin___stpcpy_chk(to, from, size) ((void)(size), __builtin_stpcpy(to, from))
#define __builtin___stpncpy_chk(to, from, n, size) ((void)(size), __builtin_stpncpy(to, from, n))
#define __builtin___sprintf_chk(to, flag, size, ...) ((void)(flag), (void)(size), __builtin_sprintf(to, __VA_ARGS__))
#define __builtin___snprintf_chk(to, n, flag, size, ...) \
    ((void)(flag), (void)(size), __builtin_snprintf(to, n, __VA_ARGS__))
#define __builtin___vsprintf_chk(to, flag, size, format, list) \
    ((void)(flag), (void)(size), __builtin_vsprintf(to, format, list))
#define __builtin___vsnprintf_chk(to, n, flag, size, format, list) \
    ((void)(flag), (void)(size), __builtin_vsnprintf(to, n, format, list))
#define __builtin___printf_chk(flag, ...) ((void)(flag), __builtin_printf(__VA_ARGS__))
#define __builtin___fprintf_chk(file, flag, ...) ((void)(flag), __builtin_fprintf(file, __VA_ARGS__))
#define __builtin___vprintf_chk(flag, format, list) ((void)(flag), __builtin_vprintf(format, list))
#define __builtin___vfprintf_chk(file, flag, format, list) ((void)(flag), __builtin_vfprintf(file, format, list))
