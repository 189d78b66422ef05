"""Functions of the C library that mean something definite and are not modelled: a proof takes any result for theirs, a
counterexample must not.
"""

from __future__ import annotations

_MATH = (
    "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 frexp ilogb ldexp log "
    "log10 log1p log2 logb scalb scalbn scalbln cbrt hypot pow erf erfc lgamma gamma tgamma nextafter nexttoward "
    "remquo sincos j0 j1 jn y0 y1 yn significand"
).split()
_OTHERS = (
    "atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull strtoimax strtoumax div ldiv lldiv "
    "strcoll strxfrm strspn strcspn strpbrk strstr strcasestr strtok strtok_r strsep strcasecmp strncasecmp strerror "
    "memccpy memmem memrchr stpcpy stpncpy strndup strverscmp "
    "isalnum isalpha isblank iscntrl isgraph islower isprint ispunct isspace isupper isxdigit isascii toascii tolower "
    "toupper difftime mktime"
).split()

UNMODELLED = frozenset(
    (*(f"{prefix}{name}{kind}" for prefix in ("", "__") for name in _MATH for kind in ("", "f", "l")), *_OTHERS)
)

# What is modelled, but so that results or texts may be others than C says.
LOOSELY_MODELLED = frozenset(
    "printf fprintf puts putchar fputs fputc putc vprintf vfprintf sprintf vsprintf snprintf vsnprintf sscanf "
    "__isoc99_sscanf".split()
)
