static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

static int space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* What all of the family read: digits, whether the number is negative, and whether it is too large for 64 bits. */
static unsigned long long read_number(const char *text, char **end, int base, int *negative, int *large) {
    const char *at = text;
    unsigned long long value = 0;
    *negative = *large = 0;
    if (base == 1 || base < 0 || base > 36) {
        errno = __CRATON_EINVAL;
        if (end && __craton_open_int()) *end = (char *)text; /* glibc leaves it as it is */
        return 0;
    }
    while (space(*at)) at++;
    if (*at == '-' || *at == '+') *negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit(at[2]) < 16) {
        at += 2;
        base = 16;
    }
    if (base == 0) base = *at == '0' ? 8 : 10;
    if (digit(*at) >= base) {
        if (end) *end = (char *)text;
        return 0;
    }
    for (; digit(*at) < base; at++) {
        unsigned long long next = (unsigned long long)digit(*at);
        if (value > (ULLONG_MAX - next) / (unsigned long long)base) *large = 1;
        value = value * (unsigned long long)base + next;
    }
    if (end) *end = (char *)at;
    return value;
}

static long long signed_number(const char *text, char **end, int base, unsigned long long most) {
    int negative, large;
    unsigned long long value = read_number(text, end, base, &negative, &large);
    if (large || value > most + (unsigned long long)negative) {
        errno = __CRATON_ERANGE;
        value = most + (unsigned long long)negative;
    }
    return (long long)(negative ? 0 - value : value);
}

static unsigned long long unsigned_number(const char *text, char **end, int base, unsigned long long most) {
    int negative, large;
    unsigned long long value = read_number(text, end, base, &negative, &large);
    if (large || value > most) {
        errno = __CRATON_ERANGE;
        return most;
    }
    return (negative ? 0 - value : value) & most;
}

long strtol(const char *text, char **end, int base) { return (long)signed_number(text, end, base, LONG_MAX); }
long long strtoll(const char *text, char **end, int base) { return signed_number(text, end, base, LLONG_MAX); }
intmax_t strtoimax(const char *text, char **end, int base) { return signed_number(text, end, base, LLONG_MAX); }
unsigned long strtoul(const char *text, char **end, int base) {
    return (unsigned long)unsigned_number(text, end, base, ULONG_MAX);
}
unsigned long long strtoull(const char *text, char **end, int base) {
    return unsigned_number(text, end, base, ULLONG_MAX);
}
uintmax_t strtoumax(const char *text, char **end, int base) { return unsigned_number(text, end, base, ULLONG_MAX); }
int atoi(const char *text) { return (int)signed_number(text, 0, 10, LONG_MAX); }
long atol(const char *text) { return (long)signed_number(text, 0, 10, LONG_MAX); }
long long atoll(const char *text) { return signed_number(text, 0, 10, LLONG_MAX); }

/* The end of a decimal number is exact, its value arbitrary. */
static const char *after_float(const char *text) {
    const char *at = text, *digits;
    int any = 0;
    while (space(*at)) at++;
    if (*at == '-' || *at == '+') at++;
    if (digit(*at) >= 10 && *at != '.') {
        if (*at == 'i' || *at == 'I' || *at == 'n' || *at == 'N') __craton_unmodelled("inf and nan as texts");
        return text;
    }
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) __craton_unmodelled("a hexadecimal number as a text");
    for (; digit(*at) < 10; at++) any = 1;
    if (*at == '.' && (any || digit(at[1]) < 10))
        for (at++; digit(*at) < 10; at++) any = 1;
    if (!any) return text;
    digits = at;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '-' || *at == '+') at++;
        if (digit(*at) >= 10) return digits;
        while (digit(*at) < 10) at++;
    }
    return at;
}

extern double __craton_any_double(void);
extern float __craton_any_float(void);
extern long double __craton_any_long_double(void);

static int found_float(const char *text, char **end) {
    const char *at = after_float(text);
    if (end) *end = (char *)at;
    if (at == text) return 0;
    if (__craton_any_int()) errno = __CRATON_ERANGE;
    return 1;
}

double strtod(const char *text, char **end) {
    double value = __craton_any_double();
    if (!found_float(text, end)) return 0;
    __craton_assume(value == value);
    return value;
}
float strtof(const char *text, char **end) {
    float value = __craton_any_float();
    if (!found_float(text, end)) return 0;
    __craton_assume(value == value);
    return value;
}
long double strtold(const char *text, char **end) {
    long double value = __craton_any_long_double();
    if (!found_float(text, end)) return 0;
    __craton_assume(value == value);
    return value;
}
double atof(const char *text) { return strtod(text, 0); }

div_t div(int a, int b) { div_t result = {a / b, a % b}; return result; }
ldiv_t ldiv(long a, long b) { ldiv_t result = {a / b, a % b}; return result; }
lldiv_t lldiv(long long a, long long b) { lldiv_t result = {a / b, a % b}; return result; }
imaxdiv_t imaxdiv(intmax_t a, intmax_t b) { imaxdiv_t result = {a / b, a % b}; return result; }

/* C says neither which elements are compared nor how equal ones are ordered: the result is known where the comparison
   function has no effects and calls only those elements equal that are. */
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    char *begin = base;
    __craton_rests_on("the comparison functions of qsort have no effects");
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0; j--) {
            char *first = begin + (j - 1) * size, *second = begin + j * size;
            int order = compare(first, second);
            for (size_t k = 0; order == 0 && k < size; k++)
                if (first[k] != second[k]) __craton_unmodelled("qsort with equal elements that differ");
            if (order <= 0) break;
            for (size_t k = 0; k < size; k++) {
                char byte = first[k];
                first[k] = second[k];
                second[k] = byte;
            }
        }
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    const char *begin = base;
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(key, begin + middle * size);
        if (order == 0) return (void *)(begin + middle * size);
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *new;
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return __CRATON_EINVAL;
    new = __builtin_malloc(size);
    if (size && !new) return __CRATON_ENOMEM;
    if ((uintptr_t)new & (alignment - 1)) __craton_unmodelled("memory aligned to more than malloc gives");
    *result = new;
    return 0;
}

void *reallocarray(void *old, size_t n, size_t size) {
    if (size && n > (size_t)-1 / size) {
        errno = __CRATON_ENOMEM;
        return 0;
    }
    return __builtin_realloc(old, n * size);
}

/* A path is what others made of the file system; it begins at the root, and is new memory where none is given. Where
   there is no such file, the part that there is stands in the buffer. */
char *realpath(const char *path, char *result) {
    size_t length = __craton_open_size();
    __craton_assume(length >= 1 && length < 4096);
    if (!path || __craton_open_int()) {
        errno = __craton_open_int();
        if (path && result) __craton_scramble(result, length);
        return 0;
    }
    if (!result) result = __builtin_malloc(length + 1);
    __craton_scramble(result, length);
    result[0] = '/';
    result[length] = 0;
    return result;
}

/* What `atexit` was given is called when `main` returns or `exit` is called: the last one first. */
static void (*exit_handlers[32])(void);
static int exit_handler_count;
int atexit(void (*f)(void)) {
    if (exit_handler_count >= 32) __craton_unmodelled("more than 32 functions to be called at the end");
    exit_handlers[exit_handler_count++] = f;
    return 0;
}
void __craton_exit_handlers(void) {
    while (exit_handler_count > 0) exit_handlers[--exit_handler_count]();
}
