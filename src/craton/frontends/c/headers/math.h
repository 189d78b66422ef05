#ifndef _CRATON_MATH_H
#define _CRATON_MATH_H
#include <craton_features.h>
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VALL (__builtin_huge_vall())
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 3
#ifdef __x86_64__
typedef float float_t;
typedef double double_t;
#else
typedef long double float_t, double_t;
#endif
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isgreater(x, y) __builtin_isgreater((x) + 0.0f, (y) + 0.0f)
#define isgreaterequal(x, y) __builtin_isgreaterequal((x) + 0.0f, (y) + 0.0f)
#define isless(x, y) __builtin_isless((x) + 0.0f, (y) + 0.0f)
#define islessequal(x, y) __builtin_islessequal((x) + 0.0f, (y) + 0.0f)
#define islessgreater(x, y) __builtin_islessgreater((x) + 0.0f, (y) + 0.0f)
#define isunordered(x, y) __builtin_isunordered((x) + 0.0f, (y) + 0.0f)
#define _CRATON_MATH(name) extern double name(double); extern float name##f(float); extern long double name##l(long double);
#define _CRATON_MATH2(name) extern double name(double, double); extern float name##f(float, float); extern long double name##l(long double, long double);
_CRATON_MATH(fabs) _CRATON_MATH(sqrt) _CRATON_MATH(floor) _CRATON_MATH(ceil) _CRATON_MATH(trunc) _CRATON_MATH(round)
_CRATON_MATH(rint) _CRATON_MATH(nearbyint) _CRATON_MATH(sin) _CRATON_MATH(cos) _CRATON_MATH(tan) _CRATON_MATH(asin)
_CRATON_MATH(acos) _CRATON_MATH(atan) _CRATON_MATH(sinh) _CRATON_MATH(cosh) _CRATON_MATH(tanh) _CRATON_MATH(exp)
_CRATON_MATH(exp2) _CRATON_MATH(log) _CRATON_MATH(log2) _CRATON_MATH(log10) _CRATON_MATH(cbrt)
_CRATON_MATH2(fmod) _CRATON_MATH2(remainder) _CRATON_MATH2(fmin) _CRATON_MATH2(fmax) _CRATON_MATH2(fdim)
_CRATON_MATH2(copysign) _CRATON_MATH2(pow) _CRATON_MATH2(atan2) _CRATON_MATH2(hypot) _CRATON_MATH2(nextafter)
_CRATON_MATH(logb) _CRATON_MATH(asinh) _CRATON_MATH(acosh) _CRATON_MATH(atanh) _CRATON_MATH(exp10) _CRATON_MATH(expm1)
_CRATON_MATH(log1p) _CRATON_MATH(erf) _CRATON_MATH(erfc) _CRATON_MATH(lgamma) _CRATON_MATH(tgamma) _CRATON_MATH(j0)
_CRATON_MATH(j1) _CRATON_MATH(y0) _CRATON_MATH(y1) _CRATON_MATH(gamma) _CRATON_MATH(significand) _CRATON_MATH2(scalb)
_CRATON_MATH2(drem)
#define _CRATON_MATH_OF(result, name, ...) \
    extern result name(double __VA_ARGS__); extern result name##f(float __VA_ARGS__); extern result name##l(long double __VA_ARGS__);
_CRATON_MATH_OF(long, lrint) _CRATON_MATH_OF(long, lround) _CRATON_MATH_OF(long long, llrint)
_CRATON_MATH_OF(long long, llround) _CRATON_MATH_OF(int, ilogb)
#define _CRATON_MATH_WITH(name, ...) extern double name(double, __VA_ARGS__); extern float name##f(float, __VA_ARGS__); extern long double name##l(long double, __VA_ARGS__);
_CRATON_MATH_WITH(frexp, int *) _CRATON_MATH_WITH(ldexp, int) _CRATON_MATH_WITH(scalbn, int) _CRATON_MATH_WITH(scalbln, long)
_CRATON_MATH_WITH(nexttoward, long double)
extern double fma(double, double, double);
extern float fmaf(float, float, float);
extern long double fmal(long double, long double, long double);
extern double modf(double, double *);
extern float modff(float, float *);
extern long double modfl(long double, long double *);
extern double remquo(double, double, int *);
extern float remquof(float, float, int *);
extern long double remquol(long double, long double, int *);
extern double nan(const char *);
extern float nanf(const char *);
extern long double nanl(const char *);
extern double jn(int, double), yn(int, double);
extern void sincos(double, double *, double *);
extern void sincosf(float, float *, float *);
extern void sincosl(long double, long double *, long double *);
#endif
