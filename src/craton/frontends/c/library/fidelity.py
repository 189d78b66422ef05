"""How close the models of library functions come to what C says of them."""

from __future__ import annotations

import enum


class Fidelity(enum.Enum):
    """What calls of a function without a body give in a program."""

    EXACT = "what C says"
    LOOSE = "what C says among others: results or texts may be others"
    UNMODELLED = "anything, though C says what: a proof takes any result for theirs, a counterexample must not"
    UNKNOWN = "anything: a function of which C says nothing, or that is taken for one"

    @property
    def approximates(self) -> bool:
        """Whether there are more results than the function has in C."""
        return self in (Fidelity.LOOSE, Fidelity.UNMODELLED)


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

_UNMODELLED = (
    *(f"{prefix}{name}{kind}" for prefix in ("", "__") for name in _MATH for kind in ("", "f", "l")),
    *_OTHERS,
)
_LOOSE = (
    "printf fprintf puts putchar fputs fputc putc vprintf vfprintf sprintf vsprintf snprintf vsnprintf sscanf "
    "__isoc99_sscanf"
).split()

FIDELITY = {**dict.fromkeys(_LOOSE, Fidelity.LOOSE), **dict.fromkeys(_UNMODELLED, Fidelity.UNMODELLED)}
