#ifndef _CRATON_MATH_H
#define _CRATON_MATH_H
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
#define M_PI_2 1.57079632679489661923
typedef float float_t;
typedef double double_t;
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define _CRATON_MATH(name) extern double name(double); extern float name##f(float); extern long double name##l(long double);
#define _CRATON_MATH2(name) extern double name(double, double); extern float name##f(float, float); extern long double name##l(long double, long double);
_CRATON_MATH(fabs) _CRATON_MATH(sqrt) _CRATON_MATH(floor) _CRATON_MATH(ceil) _CRATON_MATH(trunc) _CRATON_MATH(round)
_CRATON_MATH(rint) _CRATON_MATH(nearbyint) _CRATON_MATH(sin) _CRATON_MATH(cos) _CRATON_MATH(tan) _CRATON_MATH(asin)
_CRATON_MATH(acos) _CRATON_MATH(atan) _CRATON_MATH(sinh) _CRATON_MATH(cosh) _CRATON_MATH(tanh) _CRATON_MATH(exp)
_CRATON_MATH(exp2) _CRATON_MATH(log) _CRATON_MATH(log2) _CRATON_MATH(log10) _CRATON_MATH(cbrt)
_CRATON_MATH2(fmod) _CRATON_MATH2(remainder) _CRATON_MATH2(fmin) _CRATON_MATH2(fmax) _CRATON_MATH2(fdim)
_CRATON_MATH2(copysign) _CRATON_MATH2(pow) _CRATON_MATH2(atan2) _CRATON_MATH2(hypot) _CRATON_MATH2(nextafter)
extern double fma(double, double, double);
extern float fmaf(float, float, float);
extern double modf(double, double *);
extern float modff(float, float *);
extern double frexp(double, int *);
extern double ldexp(double, int);
extern long lrint(double), lround(double), lrintf(float), lroundf(float);
extern long long llrint(double), llround(double);
#endif
