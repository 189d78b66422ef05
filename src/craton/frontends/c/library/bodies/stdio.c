/* Reading may fail, and leave its reason. */
static void may_fail(void) {
    if (__craton_open_int()) errno = __craton_open_int();
}

char *fgets(char *s, int n, FILE *f) {
    size_t count = __craton_open_size();
    __craton_there(f);
    may_fail();
    if (n <= 0 || !__craton_open_int()) return 0;
    __craton_assume(count < (size_t)n && (count > 0 || n == 1));
    for (size_t i = 0; i < count; i++) {
        char byte = __craton_input_char();
        __craton_assume(i + 1 == count || byte != '\n');
        s[i] = byte;
    }
    s[count] = 0;
    return s;
}

/* An element that was read in part is arbitrary. */
size_t fread(void *p, size_t size, size_t n, FILE *f) {
    char *bytes = p;
    size_t count = __craton_open_size(), written;
    __craton_there(f);
    may_fail();
    if (size == 0 || n == 0) return 0;
    __craton_assume(count <= n);
    written = count < n ? (count + 1) * size : n * size;
    for (size_t i = 0; i < written; i++) bytes[i] = __craton_input_char();
    return count;
}

/* glibc begins with 120 bytes, even where there is nothing to read. */
ssize_t getdelim(char **line, size_t *n, int delimiter, FILE *f) {
    size_t count = __craton_open_size();
    __craton_there(f);
    if (!line || !n) {
        errno = __CRATON_EINVAL;
        return -1;
    }
    if (!*line || !*n) {
        *line = __builtin_realloc(*line, 120);
        *n = 120;
    }
    may_fail();
    if (!__craton_open_int()) return -1;
    __craton_assume(count > 0 && count < (size_t)-1 / 2);
    if (*n <= count) {
        size_t size = __craton_any_size();
        __craton_assume(size > count);
        *line = __builtin_realloc(*line, size);
        *n = size;
    }
    for (size_t i = 0; i < count; i++) {
        char byte = __craton_input_char();
        __craton_assume(i + 1 == count || byte != (char)delimiter);
        (*line)[i] = byte;
    }
    (*line)[count] = 0;
    return (ssize_t)count;
}

ssize_t getline(char **line, size_t *n, FILE *f) { return getdelim(line, n, '\n', f); }

/* Formatted output, exactly, but for numbers with fractions and addresses: see `any_text`. Calls whose result or text
   matters come here (`syntax/output_calls`). Characters from `room` on are counted, not written. */
static size_t put(char *to, size_t room, size_t at, char c) {
    if (at < room) to[at] = c;
    return at + 1;
}

static size_t put_many(char *to, size_t room, size_t at, char c, int count) {
    for (; count > 0; count--) at = put(to, room, at, c);
    return at;
}

struct conversion { int left, plus, space, alternate, zero, width, precision, size; };

/* A text that is not known: some characters, and at least one. No number has more than 5000 beside those that its
   conversion asks for. */
static size_t any_text(char *to, size_t room, size_t at, const struct conversion *how) {
    size_t most = 5000 + (how->width > 0 ? (size_t)how->width : 0) + (how->precision > 0 ? (size_t)how->precision : 0);
    for (size_t count = 1 + __craton_any_size() % most; count > 0; count--) {
        char c = (char)__craton_any_uchar();
        at = put(to, room, at, c ? c : '0');
    }
    return at;
}

/* Digits with what stands before them; `digits` has the last one first. */
static size_t put_digits(char *to, size_t room, size_t at, struct conversion *how, const char *before, int prefix, const char *digits, int count) {
    int zeros = how->precision > count ? how->precision - count : 0;
    int blank = how->width - prefix - zeros - count;
    if (!how->left && how->zero && how->precision < 0 && blank > 0) {
        zeros = blank;
        blank = 0;
    }
    if (!how->left) at = put_many(to, room, at, ' ', blank);
    for (int i = 0; i < prefix; i++) at = put(to, room, at, before[i]);
    at = put_many(to, room, at, '0', zeros);
    while (count > 0) at = put(to, room, at, digits[--count]);
    if (how->left) at = put_many(to, room, at, ' ', blank);
    return at;
}

static int digits_of(unsigned long long value, unsigned base, int capital, char *digits) {
    int count = 0;
    for (; value > 0; value /= base) {
        int digit = (int)(value % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : (capital ? 'A' : 'a') + digit - 10);
    }
    return count;
}

static size_t put_integer(char *to, size_t room, size_t at, struct conversion *how, char kind, unsigned long long value, int negative) {
    char digits[24], before[3];
    unsigned base = kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
    int count = digits_of(value, base, kind == 'X', digits), prefix = 0;
    if (kind == 'd' || kind == 'i') {
        if (negative) before[prefix++] = '-';
        else if (how->plus) before[prefix++] = '+';
        else if (how->space) before[prefix++] = ' ';
    } else if (how->alternate && base == 16 && value != 0) {
        before[prefix++] = '0';
        before[prefix++] = kind;
    }
    if (count == 0 && how->precision != 0) digits[count++] = '0';
    if (how->alternate && base == 8 && (count == 0 || digits[count - 1] != '0') && how->precision <= count) digits[count++] = '0';
    return put_digits(to, room, at, how, before, prefix, digits, count);
}

static size_t put_text(char *to, size_t room, size_t at, struct conversion *how, const char *text) {
    int count = 0;
    if (!text) text = how->precision >= 0 && how->precision < 6 ? "" : "(null)";
    while ((how->precision < 0 || count < how->precision) && text[count]) count++;
    if (!how->left) at = put_many(to, room, at, ' ', how->width - count);
    for (int i = 0; i < count; i++) at = put(to, room, at, text[i]);
    if (how->left) at = put_many(to, room, at, ' ', how->width - count);
    return at;
}

/* Whole numbers of few digits are exact. */
static size_t put_float(char *to, size_t room, size_t at, struct conversion *how, char kind, double x) {
    double size = __builtin_signbit(x) ? -x : x;
    char digits[48], before[1];
    int count = 0, prefix = 0, precision = how->precision < 0 ? 6 : how->precision;
    if (!(size < 1e5) || size != (double)(int)size || (kind != 'g' && kind != 'f') || precision < 5 || precision > 20 || how->alternate)
        return any_text(to, room, at, how);
    if (__builtin_signbit(x)) before[prefix++] = '-';
    else if (how->plus) before[prefix++] = '+';
    else if (how->space) before[prefix++] = ' ';
    if (kind == 'f') {
        while (count < precision) digits[count++] = '0';
        digits[count++] = '.';
    }
    if ((int)size == 0) digits[count++] = '0';
    else count += digits_of((unsigned long long)(int)size, 10, 0, digits + count);
    how->precision = -1;
    return put_digits(to, room, at, how, before, prefix, digits, count);
}

/* The next argument; a macro, as a list of arguments that is passed on need not come back further. */
#define NATURAL(size) \
    ((size) == 0 ? va_arg(arguments, unsigned) \
     : (size) == -1 ? (unsigned short)va_arg(arguments, unsigned) \
     : (size) == -2 ? (unsigned char)va_arg(arguments, unsigned) \
     : (size) == 1 ? va_arg(arguments, unsigned long) \
                   : va_arg(arguments, unsigned long long))
#define INTEGRAL(size) \
    ((size) == 0 ? va_arg(arguments, int) \
     : (size) == -1 ? (short)va_arg(arguments, int) \
     : (size) == -2 ? (signed char)va_arg(arguments, int) \
     : (size) == 1 ? va_arg(arguments, long) \
                   : va_arg(arguments, long long))

static size_t formatted(char *to, size_t room, const char *format, va_list arguments) {
    size_t at = 0;
    for (; *format; format++) {
        struct conversion how = {0, 0, 0, 0, 0, 0, -1, 0};
        if (*format != '%') {
            at = put(to, room, at, *format);
            continue;
        }
        for (format++;; format++) {
            if (*format == '-') how.left = 1;
            else if (*format == '+') how.plus = 1;
            else if (*format == ' ') how.space = 1;
            else if (*format == '#') how.alternate = 1;
            else if (*format == '0') how.zero = 1;
            else break;
        }
        if (*format == '*') {
            how.width = va_arg(arguments, int);
            if (how.width < 0) {
                how.left = 1;
                how.width = -how.width;
            }
            format++;
        }
        for (; *format >= '0' && *format <= '9'; format++) how.width = 10 * how.width + (*format - '0');
        if (*format == '.') {
            how.precision = 0;
            format++;
            if (*format == '*') {
                how.precision = va_arg(arguments, int);
                format++;
            }
            for (; *format >= '0' && *format <= '9'; format++) how.precision = 10 * how.precision + (*format - '0');
        }
        for (;; format++) {
            if (*format == 'h') how.size--;
            else if (*format == 'l' || *format == 'z' || *format == 't') how.size++;
            else if (*format == 'j' || *format == 'q' || *format == 'L') how.size = 2;
            else break;
        }
        if (*format == '%') at = put(to, room, at, '%');
        else if (*format == 'd' || *format == 'i') {
            long long value = INTEGRAL(how.size);
            at = put_integer(to, room, at, &how, *format, value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value, value < 0);
        } else if (*format == 'u' || *format == 'x' || *format == 'X' || *format == 'o') {
            unsigned long long value = NATURAL(how.size);
            at = put_integer(to, room, at, &how, *format, value, 0);
        } else if (*format == 'c' && how.size == 0) {
            char text[2] = {(char)va_arg(arguments, int), 0};
            if (!how.left) at = put_many(to, room, at, ' ', how.width - 1);
            at = put(to, room, at, text[0]);
            if (how.left) at = put_many(to, room, at, ' ', how.width - 1);
        } else if (*format == 's' && how.size == 0) {
            const char *text = va_arg(arguments, const char *);
            at = put_text(to, room, at, &how, text);
        } else if ((*format == 'f' || *format == 'e' || *format == 'g' || *format == 'F' || *format == 'E' || *format == 'G' || *format == 'a' || *format == 'A') && how.size < 2) {
            double value = va_arg(arguments, double);
            at = put_float(to, room, at, &how, *format, value);
        } else if (*format == 'p') {
            (void)va_arg(arguments, void *);
            at = any_text(to, room, at, &how);
        } else {
            __craton_unmodelled("this conversion of printf");
        }
    }
    if (room > 0) to[at < room ? at : room - 1] = 0;
    return at;
}

static void may_set_errno(void) {
    if (__craton_any_int()) errno = __craton_any_int();
}

/* Output that fails is told by a negative number. */
static int printed(const char *format, va_list arguments) {
    char nothing[1];
    size_t count = formatted(nothing, 0, format, arguments);
    may_set_errno();
    return __craton_any_int() ? -1 : (int)count;
}

static int written_to(char *s, size_t n, const char *format, va_list arguments) {
    size_t count = formatted(s, n, format, arguments);
    may_set_errno();
    return (int)count;
}

int __craton_exact_vprintf(const char *format, va_list arguments) { return printed(format, arguments); }
int __craton_exact_vfprintf(FILE *f, const char *format, va_list arguments) { return printed(format, arguments); }
int __craton_exact_vsnprintf(char *s, size_t n, const char *format, va_list arguments) {
    return written_to(s, n, format, arguments);
}
int __craton_exact_vsprintf(char *s, const char *format, va_list arguments) {
    return written_to(s, (size_t)-1, format, arguments);
}
#define WITH_ARGUMENTS(last, call) \
    va_list arguments; \
    int result; \
    va_start(arguments, last); \
    result = call; \
    va_end(arguments); \
    return result;
int __craton_exact_printf(const char *format, ...) { WITH_ARGUMENTS(format, printed(format, arguments)) }
int __craton_exact_fprintf(FILE *f, const char *format, ...) { __craton_there(f); WITH_ARGUMENTS(format, printed(format, arguments)) }
int __craton_exact_snprintf(char *s, size_t n, const char *format, ...) {
    WITH_ARGUMENTS(format, written_to(s, n, format, arguments))
}
int __craton_exact_sprintf(char *s, const char *format, ...) {
    WITH_ARGUMENTS(format, written_to(s, (size_t)-1, format, arguments))
}

/* Output of single characters and of bytes: all of it, or it fails. */
static int put_out(int c) {
    may_set_errno();
    return __craton_any_int() ? -1 : (int)(unsigned char)c;
}
int putchar(int c) { return put_out(c); }
int putc(int c, FILE *f) { __craton_there(f); return put_out(c); }
int fputc(int c, FILE *f) { __craton_there(f); return put_out(c); }
int putchar_unlocked(int c) { return put_out(c); }
int putc_unlocked(int c, FILE *f) { __craton_there(f); return put_out(c); }
int fputc_unlocked(int c, FILE *f) { __craton_there(f); return put_out(c); }
static size_t written(size_t size, size_t n) {
    size_t lost = __craton_any_size();
    may_set_errno();
    return size == 0 ? 0 : lost < n ? n - lost : 0;
}
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
    __craton_there(f);
    __craton_reads(p, size * n);
    return written(size, n);
}
size_t fwrite_unlocked(const void *p, size_t size, size_t n, FILE *f) { return fwrite(p, size, n, f); }
