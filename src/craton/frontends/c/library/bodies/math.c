#define FREXP(T, NAME, SCALE) \
    T NAME(T x, int *exponent) { \
        int e = 0; \
        if (x - x != 0) { *exponent = __craton_any_int(); return x; } \
        if (x == 0) { *exponent = 0; return x; } \
        while (x >= 1 || x <= -1) { x /= 2; e++; } \
        while (x < (T)0.5 && x > (T)-0.5) { x *= 2; e--; } \
        *exponent = e; \
        return x; \
    }
FREXP(double, frexp, ) FREXP(float, frexpf, ) FREXP(long double, frexpl, )

/* Doubling is exact; so is halving but for the last step into the subnormal numbers, where several would round twice. */
#define LDEXP(T, NAME, LEAST) \
    T NAME(T x, int n) { \
        if (x == 0 || x != x || x - x != 0) return x; \
        while (n > 0 && x - x == 0) { x *= 2; n--; } \
        while (n < 0 && (x >= 4 * LEAST || x <= -4 * LEAST)) { x /= 2; n++; } \
        if (n < -70) n = -70; \
        if (n < 0) x *= (T)1 / (T)(1ull << (n < -35 ? 35 : -n)) * (T)1 / (T)(1ull << (n < -35 ? -n - 35 : 0)); \
        if (x == 0 || x - x != 0) errno = __CRATON_ERANGE; \
        return x; \
    }
LDEXP(double, ldexp, 0x1p-1022) LDEXP(float, ldexpf, 0x1p-126f) LDEXP(long double, ldexpl, 0x1p-16382l)
LDEXP(double, scalbn, 0x1p-1022) LDEXP(float, scalbnf, 0x1p-126f) LDEXP(long double, scalbnl, 0x1p-16382l)

#define ILOGB(T, NAME) \
    int NAME(T x) { \
        int e = 0; \
        if (x == 0) { errno = __CRATON_EDOM; return -2147483647 - 1; } \
        if (x != x) { errno = __CRATON_EDOM; return -2147483647 - 1; } \
        if (x - x != 0) { errno = __CRATON_EDOM; return 2147483647; } \
        while (x >= 2 || x <= -2) { x /= 2; e++; } \
        while (x < 1 && x > -1) { x *= 2; e--; } \
        return e; \
    }
ILOGB(double, ilogb) ILOGB(float, ilogbf) ILOGB(long double, ilogbl)

#define LOGB(T, NAME, ILOGB) \
    T NAME(T x) { \
        if (x == 0) { \
            if (__craton_open_int()) errno = __CRATON_ERANGE; /* glibc leaves it as it is */ \
            return -__builtin_inf(); \
        } \
        if (x != x || x - x != 0) return x * x; \
        return (T)ILOGB(x); \
    }
LOGB(double, logb, ilogb) LOGB(float, logbf, ilogbf) LOGB(long double, logbl, ilogbl)

double nan(const char *tag) { return __builtin_nan(""); }
float nanf(const char *tag) { return __builtin_nanf(""); }
long double nanl(const char *tag) { return __builtin_nanl(""); }
