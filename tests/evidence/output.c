/* Formats and numbers at random: the harness's functions against the C library's. Prints how many differ, of how many. */
#include <stdlib.h>
#include <string.h>

#define CRATON_FREESTANDING
#define CRATON_WEAK
typedef __SIZE_TYPE__ craton_size;
static void craton_stop(char kind, const char *said, const char *more) { abort(); }
#define vsnprintf our_vsnprintf
#define vfprintf our_vfprintf
#define fprintf our_fprintf
#define vdprintf our_vdprintf
#define dprintf our_dprintf
#define vsprintf our_vsprintf
#define sprintf our_sprintf
#define vprintf our_vprintf
#define printf our_printf
#define snprintf our_snprintf
#define puts our_puts
#define fputs our_fputs
#define putchar our_putchar
#define putc our_putc
#define fputc our_fputc
#define fflush our_fflush
#include OURS
#undef snprintf
#undef printf
int snprintf(char *, size_t, const char *, ...);
int printf(const char *, ...);

static const char *const lengths[] = {"", "h", "hh", "l", "ll", "z", "j"};
static const char *const texts[] = {"", "hello", "a longer text", 0};

static void write_format(char *format, int conversion, int length)
{
    int at = 0, flags;
    format[at++] = '<';
    format[at++] = '%';
    for (flags = rand() % 4; flags; flags--) format[at++] = "-+ #0"[rand() % 5];
    if (rand() % 2) at += snprintf(format + at, 9, "%d", rand() % 14 + 1);
    if (rand() % 2) at += snprintf(format + at, 9, ".%d", rand() % 12);
    at += snprintf(format + at, 9, "%s", lengths[length]);
    format[at++] = "diuxXocs"[conversion];
    format[at++] = '>';
    format[at] = 0;
}

static unsigned long long a_number(void)
{
    unsigned long long number = (unsigned long long)rand() << 40 ^ (unsigned long long)rand() << 20 ^ (unsigned)rand();
    switch (rand() % 5) {
    case 0: return number & 15;
    case 1: return 0;
    case 2: return ~0ull;
    case 3: return 1ull << rand() % 64;
    }
    return number;
}

#define BOTH(value) (theirs = snprintf(a, room, format, value), ours = our_snprintf(b, room, format, value))

int main(void)
{
    char a[100], b[100], format[40];
    int round, theirs, ours, different = 0;
    for (round = 0; round < 100000; round++) {
        int conversion = rand() % 8, length = conversion >= 6 ? 0 : rand() % 7;
        size_t room = rand() % 3 ? sizeof a : rand() % 20;
        unsigned long long number = a_number();
        const char *text = texts[rand() % 4];
        write_format(format, conversion, length);
        memset(a, 7, sizeof a);
        memset(b, 7, sizeof b);
        if (conversion == 7) BOTH(text);
        else if (length < 3) BOTH((int)number);
        else if (length == 3) BOTH((long)number);
        else if (length == 5) BOTH((size_t)number);
        else BOTH(number);
        if (theirs != ours || memcmp(a, b, sizeof a)) different++;
    }
    printf("%d of %d differ\n", different, round);
    return 0;
}
