#ifdef CRATON_FREESTANDING
/* --- without a C library: what programs print, which nobody sees; their results and the texts in memory are glibc's -- */

struct craton_text { char *to; craton_size room, length; };

static void craton_put(struct craton_text *text, char c)
{
    if (text->length + 1 < text->room) text->to[text->length] = c;
    text->length++;
}

static void craton_repeat(struct craton_text *text, char c, int count)
{
    while (count-- > 0) craton_put(text, c);
}

enum { CRATON_LEFT = 1, CRATON_PLUS = 2, CRATON_SPACE = 4, CRATON_MARKED = 8, CRATON_ZEROS = 16 };

/* What comes before the digits (a sign, 0x), zeros, the digits, and blanks around them. */
static void craton_padded(struct craton_text *text, unsigned flags, int width, const char *before, int zeros,
                          const char *digits, int count)
{
    int first = (int)strlen(before), blanks = width - first - count;
    if (zeros < 0) zeros = 0;
    blanks -= zeros;
    if (!(flags & CRATON_LEFT)) craton_repeat(text, ' ', blanks);
    while (*before) craton_put(text, *before++);
    craton_repeat(text, '0', zeros);
    while (count-- > 0) craton_put(text, *digits++);
    if (flags & CRATON_LEFT) craton_repeat(text, ' ', blanks);
}

static void craton_shown_number(struct craton_text *text, unsigned flags, int width, int precision, const char *sign,
                          unsigned long long number, char kind)
{
    char digits[32], *first = digits + sizeof digits;
    const char *alphabet = kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned shift = kind == 'o' ? 3 : 4;
    int count, zeros;
    if ((flags & CRATON_MARKED) && number && kind == 'x') sign = "0x";
    if ((flags & CRATON_MARKED) && number && kind == 'X') sign = "0X";
    if (kind == 'u') for (; number; number /= 10) *--first = (char)('0' + number % 10);
    else for (; number; number >>= shift) *--first = alphabet[number & ((1u << shift) - 1)];
    count = (int)(digits + sizeof digits - first);
    zeros = (precision < 0 ? 1 : precision) - count;
    if (kind == 'o' && (flags & CRATON_MARKED) && zeros < 1) zeros = count || precision >= 0 ? 1 : zeros;
    if (precision < 0 && (flags & CRATON_ZEROS) && !(flags & CRATON_LEFT) && width - (int)strlen(sign) - count > zeros)
        zeros = width - (int)strlen(sign) - count;
    craton_padded(text, flags, width, sign, zeros, first, count);
}

static void craton_string(struct craton_text *text, unsigned flags, int width, int precision, const char *string)
{
    int count = 0;
    if (!string) string = precision < 0 || precision >= 6 ? "(null)" : "";
    while ((precision < 0 || count < precision) && string[count]) count++;
    craton_padded(text, flags, width, "", 0, string, count);
}

static const char *craton_flags(const char *format, unsigned *flags)
{
    static const char known[] = "-+ #0";
    for (*flags = 0; *format; format++) {
        const char *found = strchr(known, *format);
        if (!found) break;
        *flags |= 1u << (found - known);
    }
    return format;
}

static const char *craton_count(const char *format, int *count, __builtin_va_list *arguments)
{
    if (*format == '*') { *count = __builtin_va_arg(*arguments, int); return format + 1; }
    for (*count = 0; *format >= '0' && *format <= '9'; format++) *count = *count * 10 + (*format - '0');
    return format;
}

/* How many bytes a number has: 0 for what is none of the lengths of integers. */
static const char *craton_length(const char *format, unsigned *size)
{
    *size = sizeof(int);
    switch (*format) {
    case 'h': if (format[1] == 'h') { *size = 1; return format + 2; } *size = sizeof(short); return format + 1;
    case 'l': if (format[1] == 'l') { *size = sizeof(long long); return format + 2; } *size = sizeof(long); return format + 1;
    case 'z': case 't': *size = sizeof(craton_size); return format + 1;
    case 'j': case 'q': *size = sizeof(long long); return format + 1;
    case 'L': *size = 0; return format + 1;
    }
    return format;
}

static unsigned long long craton_integer(unsigned size, __builtin_va_list *arguments)
{
    unsigned long long number = size > sizeof(int) && size > sizeof(long) ? __builtin_va_arg(*arguments, unsigned long long)
                              : size > sizeof(int) ? __builtin_va_arg(*arguments, unsigned long)
                                                   : __builtin_va_arg(*arguments, unsigned);
    return size < 8 ? number & ((1ull << 8 * size) - 1) : number;
}

static void craton_conversion(struct craton_text *text, const char **at, __builtin_va_list *arguments)
{
    unsigned flags, size;
    int width = 0, precision = -1;
    unsigned long long number, top;
    const char *format = craton_flags(*at, &flags), *sign = "";
    char character;
    format = craton_count(format, &width, arguments);
    if (width < 0) { flags |= CRATON_LEFT; width = -width; }
    if (*format == '.') format = craton_count(format + 1, &precision, arguments);
    format = craton_length(format, &size);
    *at = format + 1;
    if (!size || width > 4096 || precision > 4096) craton_stop('U', "nobody defines printf for such a conversion", "");
    switch (*format) {
    case 'd': case 'i':
        number = craton_integer(size, arguments);
        top = 1ull << (8 * size - 1);
        sign = flags & CRATON_PLUS ? "+" : flags & CRATON_SPACE ? " " : "";
        if (number & top) { number = (~number + 1) & (top | (top - 1)); sign = "-"; }
        craton_shown_number(text, flags, width, precision, sign, number, 'u');
        return;
    case 'u': case 'x': case 'X': case 'o':
        craton_shown_number(text, flags, width, precision, "", craton_integer(size, arguments), *format);
        return;
    case 'c':
        character = (char)__builtin_va_arg(*arguments, int);
        if (size == sizeof(int)) { craton_padded(text, flags, width, "", 0, &character, 1); return; }
        break;
    case 's':
        if (size == sizeof(int)) { craton_string(text, flags, width, precision, __builtin_va_arg(*arguments, char *)); return; }
        break;
    case '%': craton_put(text, '%'); return;
    }
    craton_stop('U', "nobody defines printf for such a conversion", "");
}

CRATON_WEAK int vsnprintf(char *to, craton_size room, const char *format, __builtin_va_list arguments)
{
    struct craton_text text;
    __builtin_va_list rest;
    text.to = to;
    text.room = room;
    text.length = 0;
    __builtin_va_copy(rest, arguments);
    while (*format)
        if (*format == '%') { format++; craton_conversion(&text, &format, &rest); }
        else craton_put(&text, *format++);
    __builtin_va_end(rest);
    if (room) to[text.length < room ? text.length : room - 1] = 0;
    return (int)text.length;
}

#define CRATON_ANY_ROOM ((craton_size)-1 >> 1)
#define CRATON_PRINTS(name, first, to, room) \
    CRATON_WEAK int v##name(first, const char *format, __builtin_va_list arguments) \
    { return vsnprintf(to, room, format, arguments); } \
    CRATON_WEAK int name(first, const char *format, ...) \
    { __builtin_va_list arguments; int length; __builtin_va_start(arguments, format); \
      length = vsnprintf(to, room, format, arguments); __builtin_va_end(arguments); return length; }
CRATON_PRINTS(fprintf, void *stream, 0, 0)
CRATON_PRINTS(dprintf, int file, 0, 0)
CRATON_PRINTS(sprintf, char *to, to, CRATON_ANY_ROOM)

CRATON_WEAK int vprintf(const char *format, __builtin_va_list arguments) { return vsnprintf(0, 0, format, arguments); }

CRATON_WEAK int printf(const char *format, ...)
{
    __builtin_va_list arguments;
    int length;
    __builtin_va_start(arguments, format);
    length = vsnprintf(0, 0, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

CRATON_WEAK int snprintf(char *to, craton_size room, const char *format, ...)
{
    __builtin_va_list arguments;
    int length;
    __builtin_va_start(arguments, format);
    length = vsnprintf(to, room, format, arguments);
    __builtin_va_end(arguments);
    return length;
}

CRATON_WEAK int puts(const char *text) { return (int)strlen(text) + 1; }
CRATON_WEAK int fputs(const char *text, void *stream) { return 1; }
CRATON_WEAK int putchar(int c) { return (unsigned char)c; }
CRATON_WEAK int putc(int c, void *stream) { return (unsigned char)c; }
CRATON_WEAK int fputc(int c, void *stream) { return (unsigned char)c; }
CRATON_WEAK int fflush(void *stream) { return 0; }
#endif
