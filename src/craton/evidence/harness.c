/* The part of a replay harness that is the same for every program: inputs are handed out in order, an error is reported
   through a channel that the program does not know, memory is tracked where the property is about it, and the process
   is confined before any code of the program runs.

   No header is included and no library function is called: a program may lack a body for any of them, and then has a
   stub of ours in its place. Definitions are weak, so that the program's own ones win. */

#define CRATON_WEAK __attribute__((weak))

typedef __SIZE_TYPE__ craton_size;
typedef __UINTPTR_TYPE__ craton_word;

#if defined(CRATON_ASAN) && defined(CRATON_FREESTANDING)
#define CRATON_WATCHED 1 /* by ourselves: watch.c */
static void craton_touch(const volatile void *, craton_size);
static void craton_watch(craton_word);
#else
#define craton_touch(begin, size) ((void)0)
#endif

/* --- the kernel, without the C library ----------------------------------------------------------------------------- */

#if defined(__x86_64__)
enum { CRATON_READ = 0, CRATON_WRITE = 1, CRATON_OPEN = 2, CRATON_CLOSE = 3, CRATON_GETPID = 39, CRATON_FCNTL = 72,
       CRATON_SIGACTION = 13, CRATON_SIGALTSTACK = 131, CRATON_SETITIMER = 38,
       CRATON_PRCTL = 157, CRATON_SETRLIMIT = 160, CRATON_TGKILL = 234, CRATON_EXIT_GROUP = 231, CRATON_MMAP = 9,
       CRATON_PIPE = 22, CRATON_DUP2 = 33 };
#define CRATON_ARCHITECTURE 0xC000003Eu
/* read write close fstat lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn writev sched_yield
   mremap madvise nanosleep getpid exit uname gettimeofday getrlimit getrusage sysinfo getuid sigaltstack arch_prctl
   gettid time futex sched_getaffinity clock_gettime clock_nanosleep exit_group newfstatat set_robust_list getrandom
   rseq */
static const unsigned craton_allowed[] = {0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 20, 24, 25, 28, 35, 39, 60, 63, 96,
    97, 98, 99, 102, 131, 158, 186, 201, 202, 204, 228, 230, 231, 262, 273, 318, 334};
static const unsigned craton_starting[] = {56, 57, 58, 59, 435}; /* clone fork vfork execve clone3 */
/* stat lstat access chdir readlink readlinkat faccessat statx openat2 faccessat2 */
static const unsigned craton_files[] = {4, 6, 21, 80, 89, 267, 269, 332, 437, 439};
enum { CRATON_OPENAT = 257 };

static long craton_call(long number, long a, long b, long c, long d, long e, long f)
{
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall" : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return result;
}

static void *craton_pages(craton_size size)
{
    long found = craton_call(CRATON_MMAP, 0, (long)size, 3, 0x4022, -1, 0);
    return found < 0 && found > -4096 ? 0 : (void *)found;
}
#elif defined(__i386__)
enum { CRATON_READ = 3, CRATON_WRITE = 4, CRATON_OPEN = 5, CRATON_CLOSE = 6, CRATON_GETPID = 20, CRATON_FCNTL = 55,
       CRATON_SIGACTION = 174, CRATON_SIGALTSTACK = 186, CRATON_SETITIMER = 104,
       CRATON_PRCTL = 172, CRATON_SETRLIMIT = 75, CRATON_TGKILL = 270, CRATON_EXIT_GROUP = 252, CRATON_MMAP = 90,
       CRATON_PIPE = 42, CRATON_DUP2 = 63 };
#define CRATON_ARCHITECTURE 0x40000003u
/* The same as above, with their forms for 32 bits. */
static const unsigned craton_allowed[] = {1, 3, 4, 6, 13, 19, 20, 45, 76, 77, 78, 90, 91, 116, 119, 122, 125, 140, 146,
    158, 162, 163, 173, 174, 175, 186, 191, 192, 197, 199, 219, 224, 240, 242, 243, 252, 265, 267, 300, 311, 355, 383,
    386, 403, 407, 422};
static const unsigned craton_starting[] = {120, 2, 190, 11, 435};
static const unsigned craton_files[] = {12, 33, 85, 106, 107, 195, 196, 305, 307, 437, 439};
enum { CRATON_OPENAT = 295 };

static long craton_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result;
    (void)f;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory");
    return result;
}

static void *craton_pages(craton_size size)
{
    volatile unsigned long arguments[6] = {0, size, 3, 0x4022, -1ul, 0};
    long found = craton_call(CRATON_MMAP, (long)arguments, 0, 0, 0, 0, 0);
    return found < 0 && found > -4096 ? 0 : (void *)found;
}
#else
#error "replays are for x86: the data models ILP32 and LP64 are those of i386 and x86-64"
#endif

/* --- state, in one piece: a search for lost memory must not look here ------------------------------------------------ */

struct craton_block {
    craton_size size;
    struct craton_block *next;
    unsigned char live, marked, scanned;
    char fill[32 - 2 * sizeof(craton_word) - 3];
};

static struct {
    char token[32];
    int channel;
    craton_size taken;
    char *free_begin, *free_end;
    struct craton_block *blocks;
    struct { craton_word number; void *block; unsigned char kind; } pointers[256];
    unsigned known_pointers, allocated;
    unsigned long long seed;
    int seeded, steady;
} craton = {{0}, 2};

/* --- the report ------------------------------------------------------------------------------------------------------ */

static char *craton_append(char *at, char *end, const char *text)
{
    while (*text && at < end) *at++ = *text++;
    return at;
}

static void craton_send(const char *message, craton_size size)
{
    craton_size i;
    for (i = 0; i < size;) {
        long written = craton_call(CRATON_WRITE, craton.channel, (long)(message + i), (long)(size - i), 0, 0, 0);
        if (written <= 0) break;
        i += (craton_size)written;
    }
}

/* How a message begins. */
static char *craton_begin_message(char *at, char *end, char kind)
{
#ifdef CRATON_SUPERVISED
    craton_size i;
    *at++ = '\n'; /* whatever the program has written there */
    for (i = 0; i < sizeof craton.token; i++) *at++ = craton.token[i];
    *at++ = kind;
#else
    at = craton_append(at, end, kind == 'R' ? "replay: error reached: " : "replay: ");
#endif
    (void)end;
    return at;
}

static void craton_say(char kind, const char *text, const char *more)
{
    char message[400], *end = message + sizeof message - 1, *at = craton_begin_message(message, end, kind);
    at = craton_append(craton_append(at, end, text), end, more);
    *at++ = '\n';
    craton_send(message, (craton_size)(at - message));
}

static void craton_tell_inputs(void);

#ifdef CRATON_GUIDED /* guided.c */
typedef long long craton_value;
static void craton_leave(void);
static craton_value craton_ask(unsigned function, craton_word place, int pointer);
static int craton_is_given(void);
enum { CRATON_TICK = 26, CRATON_TICKS = 4000 }; /* a signal, and microseconds of processor time */
#define CRATON_PLACE(level) \
    ((craton_word)__builtin_return_address(level) ^ (craton_word)__builtin_return_address(level + 1) << 3)
#endif

__attribute__((noreturn)) static void craton_stop(char kind, const char *text, const char *more)
{
#ifdef CRATON_GUIDED
    if (kind != 'R' && kind != 'S') craton_leave();
#endif
    if (kind == 'R') craton_tell_inputs();
    craton_say(kind, text, more);
    for (;;) craton_call(CRATON_EXIT_GROUP, kind == 'R' ? 1 : 0, 0, 0, 0, 0, 0);
}

/* A good place for a breakpoint. */
void __craton_reached(void)
{
#ifdef CRATON_UNREACH
    craton_stop('R', CRATON_VIOLATED, "");
#else
    craton_stop('O', "the error function, which this property does not forbid", "");
#endif
}

/* A function that nobody here defines was called. */
__attribute__((noreturn)) void __craton_missing(const char *name) { craton_stop('U', "nobody defines ", name); }

/* --- inputs ---------------------------------------------------------------------------------------------------------- */

#ifdef CRATON_DRAWN /* from a seed, and told with the error; the seed 0 is for zeros */

struct craton_input { unsigned function, size; unsigned char bytes[16]; };
#ifdef CRATON_GUIDED /* not among what is put back after each run */
static struct craton_input *craton_drawn;
#else
static struct craton_input craton_drawn[CRATON_DRAWN];
#endif

static unsigned craton_roll(void)
{
    craton.seed = craton.seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(craton.seed >> 33);
}

/* Small numbers and those that the program compares with reach more. */
static int craton_number(void)
{
    static const int known[] = {CRATON_KNOWN};
    if (!craton.seeded) return 0;
    switch (craton_roll() & 3) {
    case 0: return (int)(craton_roll() << 1 ^ craton_roll());
    case 1: return known[craton_roll() % (sizeof known / sizeof *known)] + (int)(craton_roll() % 3u) - 1;
    default: return (int)(craton_roll() % 33u) - 8;
    }
}

/* In some runs a function gives always the same, in others it seldom gives something else: loops go on to their ends. */
static int craton_number_of(unsigned function)
{
    enum { FUNCTIONS = 64 };
    static struct { int is_known, number; } first[FUNCTIONS];
    int number, known = first[function % FUNCTIONS].is_known;
    if (known && (craton.steady == 1 || (craton.steady == 2 && craton_roll() % 32))) return first[function % FUNCTIONS].number;
    number = craton_number();
    if (!known) {
        first[function % FUNCTIONS].is_known = 1;
        first[function % FUNCTIONS].number = number;
    }
    return number;
}

static void craton_note(unsigned function, const void *value, craton_size size)
{
    craton_size i;
    if (craton.taken == CRATON_DRAWN)
        craton_stop('E', "asks for more inputs than are kept, of ", craton_functions[function]);
    craton_drawn[craton.taken].function = function;
    craton_drawn[craton.taken].size = (unsigned)size;
    for (i = 0; i < size; i++) craton_drawn[craton.taken].bytes[i] = ((const unsigned char *)value)[i];
    craton.taken++;
}

static void craton_take(unsigned function, void *value, craton_size size)
{
    int number = craton_number_of(function);
    craton_size i, low = 0;
    unsigned above = size > sizeof number && craton.seeded ? craton_roll() & 15 : 15;
    if (above < 2) low = size - sizeof number; /* now and then a number that needs its width */
    for (i = 0; i < low; i++) ((unsigned char *)value)[i] = above ? 255 : 0;
    for (i = low; i < size; i++)
        ((unsigned char *)value)[i] = (unsigned char)(i - low < sizeof number ? number >> 8 * (i - low) : number < 0 ? -1 : 0);
    craton_note(function, value, size);
}

static char *craton_hexadecimal(char *at, const unsigned char *bytes, craton_size size)
{
    static const char digits[] = "0123456789abcdef";
    for (; size--; bytes++) {
        *at++ = digits[*bytes >> 4];
        *at++ = digits[*bytes & 15];
    }
    return at;
}

/* Many to a line, "function value function value …": a call of the kernel takes longer than a number. */
static void craton_tell_inputs(void)
{
    static char text[1 << 15];
    char *end = text + sizeof text - 1;
    craton_size i = 0;
    while (i < craton.taken) {
        char *at = craton_begin_message(text, end, 'I');
        for (; end - at > 48 && i < craton.taken; i++) { /* an input takes 38 characters at most */
            unsigned char function[2] = {(unsigned char)(craton_drawn[i].function >> 8), (unsigned char)craton_drawn[i].function};
            at = craton_hexadecimal(at, function, 2);
            *at++ = ' ';
            at = craton_hexadecimal(at, craton_drawn[i].bytes, craton_drawn[i].size);
            *at++ = ' ';
        }
        *at++ = '\n';
        craton_send(text, (craton_size)(at - text));
    }
}

#ifdef CRATON_GUIDED
static void craton_take_asked(unsigned function, void *value, craton_size size, craton_word place)
{
    craton_value number = craton_ask(function, place, 0);
    craton_size i;
    for (i = 0; i < size; i++)
        ((unsigned char *)value)[i] = (unsigned char)(i < sizeof number ? number >> 8 * i : number < 0 ? -1 : 0);
    craton_note(function, value, size);
}

#define CRATON_TAKE(function, value, size) craton_take_asked(function, &value, size, CRATON_PLACE(0))
#define CRATON_TAKE_BOOL(function, value, size) \
    (value = craton_ask(function, CRATON_PLACE(0), 0) & 1, craton_note(function, &value, size))
#define CRATON_TAKE_FLOAT(function, value, size) \
    if (craton_is_given()) craton_take_asked(function, &value, size, CRATON_PLACE(0)); \
    else value = craton_ask(function, CRATON_PLACE(0), 0), value /= craton_roll() & 1 ? 8 : 1, craton_note(function, &value, size)
#else
#define CRATON_TAKE(function, value, size) craton_take(function, &value, size)
#define CRATON_TAKE_BOOL(function, value, size) (value = craton_number_of(function) & 1, craton_note(function, &value, size))
#define CRATON_TAKE_FLOAT(function, value, size) \
    (value = craton_number_of(function), value /= craton.seeded && craton_roll() & 1 ? 8 : 1, craton_note(function, &value, size))
#endif

#else

static void craton_tell_inputs(void) {}
#define CRATON_TAKE(function, value, size) craton_take(function, &value, size)
#define CRATON_TAKE_BOOL CRATON_TAKE
#define CRATON_TAKE_FLOAT CRATON_TAKE

static void craton_take(unsigned function, void *value, craton_size size)
{
    craton_size i;
    if (craton.taken == CRATON_INPUTS)
        craton_stop('E', "asks for more inputs than the counterexample has, of ", craton_functions[function]);
    if (craton_inputs[craton.taken].function != function)
        craton_stop('D', "asks for inputs in another order than the counterexample, of ", craton_functions[function]);
    for (i = 0; i < size; i++) ((unsigned char *)value)[i] = craton_inputs[craton.taken].bytes[i];
    craton.taken++;
}
#endif

static void *craton_memory(craton_size alignment, craton_size size, unsigned char counted);

enum { CRATON_BLOCK, CRATON_GIVEN, CRATON_FOUND, CRATON_LOCAL };
static void *craton_outside(unsigned char kind, craton_word number);

/* What memory holds at first: in a block that the program has allocated, or behind a pointer that it did not make. */
static void craton_fill_memory(void *memory, craton_size size, unsigned char kind, craton_word number)
{
    craton_size i;
    unsigned j;
    for (i = 0; i < CRATON_FILLS; i++) {
        const unsigned char *bytes = craton_fills[i].bytes;
        craton_word pointer = 0;
        if (craton_fills[i].memory != kind || craton_fills[i].number != number) continue;
        if (craton_fills[i].offset + craton_fills[i].size > size) continue;
        if (craton_fills[i].points) {
            for (j = 0; j < sizeof pointer; j++) ((unsigned char *)&pointer)[j] = bytes[j];
            pointer = (craton_word)craton_outside(CRATON_FOUND, pointer);
            bytes = (const unsigned char *)&pointer;
        }
        for (j = 0; j < craton_fills[i].size; j++) ((unsigned char *)memory)[craton_fills[i].offset + j] = bytes[j];
    }
}

/* Memory behind a pointer that the program did not make: for each number the same, zeros or what the counterexample
   says. */
static void *craton_outside(unsigned char kind, craton_word number)
{
    unsigned i;
    for (i = 0; i < craton.known_pointers; i++)
        if (craton.pointers[i].kind == kind && craton.pointers[i].number == number) return craton.pointers[i].block;
    if (i == sizeof craton.pointers / sizeof *craton.pointers) return (void *)number;
    craton.known_pointers++;
    craton.pointers[i].kind = kind;
    craton.pointers[i].number = number;
    craton.pointers[i].block = craton_memory(16, 1 << 16, 0);
    craton_fill_memory(craton.pointers[i].block, 1 << 16, kind, number);
    return craton.pointers[i].block;
}

/* A pointer from outside: null and error codes as they are; others are memory. Where the property is about memory it is
   what the counterexample says, which points nowhere. */
static void *craton_pointer(unsigned function)
{
    craton_word model = 0;
#ifdef CRATON_GUIDED
    model = (craton_word)craton_ask(function, CRATON_PLACE(1), 1);
    craton_note(function, &model, sizeof model);
#elif defined(CRATON_DRAWN)
    model = (craton_word)(craton_number() & 3) << 16;
    craton_note(function, &model, sizeof model);
#else
    craton_take(function, &model, sizeof model);
#endif
#ifndef CRATON_MEMORY
#ifdef CRATON_NO_NULL
    if (!model) return craton_outside(CRATON_GIVEN, model);
#endif
    if (model >= 4096 && model <= (craton_word)-4096) return craton_outside(CRATON_GIVEN, model);
#endif
    return (void *)model;
}

static void craton_assume(int condition)
{
    if (!condition) craton_stop('A', "is stopped by an assumption", "");
}

/* --- memory: new for each allocation, zeros or what the counterexample says, never given twice ----------------------- */

/* For a size that no object has: a null pointer, where a counterexample has led there. */
static void *craton_refuse(void)
{
#ifdef CRATON_DRAWN /* for verdicts, allocation does not fail */
    craton_stop('M', "asks for more memory than there is", "");
#endif
    return 0;
}

static void *craton_memory(craton_size alignment, craton_size size, unsigned char counted)
{
    craton_size all = size + alignment + sizeof(struct craton_block);
    struct craton_block *block;
    if (all > ~(craton_size)0 >> 1 || all < size) return craton_refuse();
    if ((craton_size)(craton.free_end - craton.free_begin) < all) {
#ifdef CRATON_GUIDED /* one piece, which is put back after each run */
        craton_size chunk = 1u << 26;
        if (craton.free_begin || all > chunk) craton_leave();
#else
        craton_size chunk = all > (1u << 24) ? all : 1u << 24;
#endif
        craton.free_begin = (char *)craton_pages(chunk);
        if (!craton.free_begin) craton_stop('M', "asks for more memory than there is", "");
        craton.free_end = craton.free_begin + chunk;
    }
    block = (struct craton_block *)((((craton_word)craton.free_begin + sizeof *block + alignment - 1) & -alignment)
                                    - sizeof *block);
    craton.free_begin = (char *)(block + 1) + size;
    if (counted) {
        craton_fill_memory(block + 1, size, CRATON_BLOCK, craton.allocated);
        craton.allocated++;
    }
    block->size = size;
    block->live = counted;
    block->next = craton.blocks;
    craton.blocks = block;
    return block + 1;
}

#if !defined(CRATON_ASAN) && !defined(CRATON_REAL_HEAP)
extern char __executable_start[] CRATON_WEAK, etext[] CRATON_WEAK;

/* What the C library allocates for itself is not the program's to free. */
static unsigned char craton_counts(const void *caller)
{
    return (const char *)caller >= __executable_start && (const char *)caller < etext;
}

#define CRATON_HERE craton_counts(__builtin_return_address(0))
CRATON_WEAK void *malloc(craton_size size) { return craton_memory(16, size, CRATON_HERE); }
CRATON_WEAK void *valloc(craton_size size) { return craton_memory(4096, size, CRATON_HERE); }
CRATON_WEAK void *memalign(craton_size to, craton_size size) { return craton_memory(to, size, CRATON_HERE); }
CRATON_WEAK void *aligned_alloc(craton_size to, craton_size size) { return craton_memory(to, size, CRATON_HERE); }

CRATON_WEAK void *calloc(craton_size count, craton_size size)
{
    craton_size all, i;
    char *new;
    if (__builtin_mul_overflow(count, size, &all)) return craton_refuse();
    new = (char *)craton_memory(16, all, CRATON_HERE);
    for (i = 0; CRATON_FILLS && new && i < all; i++) new[i] = 0;
    return new;
}

/* Memory stays; where its end matters, it is noted. */
CRATON_WEAK void free(void *pointer)
{
#if defined(CRATON_MEMTRACK) || defined(CRATON_MEMCLEANUP)
    struct craton_block *block;
    for (block = craton.blocks; block; block = block->next)
        if (pointer == block + 1) block->live = 0;
#else
    (void)pointer;
#endif
}

CRATON_WEAK void *realloc(void *old, craton_size size)
{
    char *new;
    craton_size i, kept = old ? ((struct craton_block *)old)[-1].size : 0;
    if (old && !size) { /* as glibc has it */
        free(old);
        return 0;
    }
    new = (char *)craton_memory(16, size, CRATON_HERE);
    if (!new) return 0;
    for (i = 0; i < size && i < kept; i++) new[i] = ((char *)old)[i];
    free(old);
    return new;
}

CRATON_WEAK char *strdup(const char *text)
{
    craton_size i, size = 0;
    char *copy;
    while (text[size++]) {}
    copy = (char *)craton_memory(16, size, CRATON_HERE);
    for (i = 0; i < size; i++) copy[i] = text[i];
    return copy;
}
#endif

CRATON_WEAK void *malloc(craton_size);
CRATON_WEAK void free(void *);
CRATON_WEAK void *kmalloc(craton_size size) { return malloc(size); }
CRATON_WEAK void kfree(void *pointer) { free(pointer); }
CRATON_WEAK void cfree(void *pointer) { free(pointer); }
CRATON_WEAK int printk() { return 0; }
CRATON_WEAK void __VERIFIER_atomic_begin() {}
CRATON_WEAK void __VERIFIER_atomic_end() {}

#if defined(CRATON_MEMTRACK) && !defined(CRATON_ASAN)
extern char __data_start[] CRATON_WEAK, _end[] CRATON_WEAK;

static void craton_mark(const char *begin, const char *end)
{
    const craton_word *at = (const craton_word *)(((craton_word)begin + sizeof(craton_word) - 1) & -sizeof(craton_word));
    for (; (const char *)(at + 1) <= end; at++) {
        struct craton_block *block;
        if ((const char *)at >= (const char *)&craton && (const char *)at < (const char *)(&craton + 1)) continue;
        for (block = craton.blocks; block; block = block->next)
            if (*at >= (craton_word)(block + 1) && *at <= (craton_word)(block + 1) + block->size) block->marked = 1;
    }
}

/* Whether memory that is still allocated can be reached from no global variable. */
static int craton_lost(void)
{
    struct craton_block *block;
    int more = 1;
    craton_mark(__data_start, _end);
    while (more) {
        more = 0;
        for (block = craton.blocks; block; block = block->next)
            if (block->live && block->marked && !block->scanned) {
                block->scanned = more = 1;
                craton_mark((char *)(block + 1), (char *)(block + 1) + block->size);
            }
    }
    for (block = craton.blocks; block; block = block->next)
        if (block->live && !block->marked) return 1;
    return 0;
}
#endif

/* Arguments or an environment: so many texts, a null pointer, and nothing behind it. */
static char **craton_list(unsigned count, char *const *texts)
{
    static char *lists[3][1002];
    static unsigned used;
    char **list = lists[used++ % 3];
    unsigned i;
#ifdef CRATON_ASAN /* which watches over what it has given */
    extern void *calloc(craton_size, craton_size);
    craton_size j, size;
    list = calloc(count + 1, sizeof *list);
    for (i = 0; i < count; i++) {
        for (size = 1; texts[i][size - 1]; size++) {}
        list[i] = calloc(size, 1);
        for (j = 0; j < size; j++) list[i][j] = texts[i][j];
    }
#else
    for (i = 0; i < count && i < 1001; i++) list[i] = texts[i];
#endif
    list[i] = 0;
    return list;
}

/* What getenv gives: the next answer, or the one that the name had before. */
CRATON_WEAK char *craton_answer(const char *name, unsigned count, char *const *answers, const char *missing)
{
    static char names[64][64];
    static unsigned given[64], known, next;
    unsigned i, j;
    for (i = 0; i < known; i++) {
        for (j = 0; j < 63 && name[j] && name[j] == names[i][j]; j++) {}
        if (name[j] == names[i][j]) {
            next++;
            return missing[given[i]] ? 0 : answers[given[i]];
        }
    }
    if (next >= count || known >= 64) return 0;
    for (j = 0; j < 63 && name[j]; j++) names[known][j] = name[j];
    given[known] = next++;
    return missing[given[known++]] ? 0 : answers[given[known - 1]];
}

/* main has returned */
static void craton_end_of_main(void)
{
#if defined(CRATON_MEMTRACK) && !defined(CRATON_ASAN)
    if (craton_lost()) craton_stop('R', CRATON_VIOLATED, "");
#endif
}

__attribute__((destructor(101))) static void craton_end(void)
{
#if defined(CRATON_MEMCLEANUP) && !defined(CRATON_ASAN)
    struct craton_block *block;
    for (block = craton.blocks; block; block = block->next)
        if (block->live) craton_stop('R', CRATON_VIOLATED, "");
#endif
    craton_say('N', "ends", "");
}

/* --- overflow: what the compiler's checks call ----------------------------------------------------------------------- */

#ifdef CRATON_DIVISION
CRATON_WEAK void __ubsan_handle_divrem_overflow(void) { craton_stop('R', CRATON_VIOLATED, ""); }
CRATON_WEAK void __ubsan_handle_divrem_overflow_abort(void) { craton_stop('R', CRATON_VIOLATED, ""); }
#endif

#ifdef CRATON_OVERFLOW
#define CRATON_OVERFLOWS(name) \
    CRATON_WEAK void __ubsan_handle_##name##_overflow(void) { craton_stop('R', CRATON_VIOLATED, ""); } \
    CRATON_WEAK void __ubsan_handle_##name##_overflow_abort(void) { craton_stop('R', CRATON_VIOLATED, ""); }
CRATON_OVERFLOWS(add)
CRATON_OVERFLOWS(sub)
CRATON_OVERFLOWS(mul)
CRATON_OVERFLOWS(negate)
CRATON_OVERFLOWS(divrem)

/* What -ftrapv calls where there is no such check. */
#define CRATON_TRAPS(mode, type) \
    CRATON_TRAP(__addv##mode##3, type, add) CRATON_TRAP(__subv##mode##3, type, sub) CRATON_TRAP(__mulv##mode##3, type, mul) \
    CRATON_WEAK type __negv##mode##2(type a) { return __subv##mode##3(0, a); } \
    CRATON_WEAK type __absv##mode##2(type a) { return a < 0 ? __subv##mode##3(0, a) : a; }
#define CRATON_TRAP(name, type, operation) CRATON_WEAK type name(type a, type b) \
    { type result; if (__builtin_##operation##_overflow(a, b, &result)) craton_stop('R', CRATON_VIOLATED, ""); return result; }
CRATON_TRAPS(si, int)
CRATON_TRAPS(di, long long)
#ifdef __SIZEOF_INT128__
CRATON_TRAPS(ti, __int128)
#endif

struct craton_type { unsigned short kind, info; };
struct craton_shift { const char *file; unsigned line, column; struct craton_type *left, *right; };

static long long craton_operand(const struct craton_type *type, const void *handle)
{
    unsigned width = 1u << (type->info >> 1), drop = width < 64 ? 64 - width : 0;
    unsigned long long bits = width > 8 * sizeof handle ? *(const unsigned long long *)handle : (craton_word)handle;
    return (long long)(bits << drop) >> drop;
}

/* The checks also complain of every negative number that is shifted; an overflow is a bit that is lost. */
CRATON_WEAK void __ubsan_handle_shift_out_of_bounds(const struct craton_shift *data, void *left, void *right)
{
    unsigned width = 1u << (data->left->info >> 1), drop = width < 64 ? 64 - width : 0;
    long long number = craton_operand(data->left, left), amount = craton_operand(data->right, right);
    if (!(data->left->info & 1) || number == 0 || width > 64) return;
    if (amount < 0 || amount >= width ||
        (long long)((unsigned long long)number << amount << drop) >> drop >> amount != number)
        craton_stop('R', CRATON_VIOLATED, "");
}

#define CRATON_ABS(name, type) CRATON_WEAK type name(type x) \
    { if (x < 0 && (type)-(unsigned type)x == x) craton_stop('R', CRATON_VIOLATED, ""); return x < 0 ? -x : x; }
CRATON_ABS(abs, int)
CRATON_ABS(labs, long)
CRATON_ABS(llabs, long long)
CRATON_ABS(imaxabs, long long)
#endif

/* --- memory: what the address sanitizer calls ------------------------------------------------------------------------ */

#ifdef CRATON_ASAN
#ifndef CRATON_WATCHED
void __asan_set_error_report_callback(void (*)(const char *));

const char *__asan_default_options(void)
{
    return "symbolize=0:detect_leaks=0:detect_stack_use_after_return=1:malloc_fill_byte=0:max_malloc_fill_size=1073741824:"
           "quarantine_size_mb=512:detect_odr_violation=0:handle_abort=0:intercept_tls_get_addr=0";
}

/* The linker brings calls of the program here. */
void __real_free(void *);
void *__real_malloc(craton_size);
void *__real_calloc(craton_size, craton_size);
void *__real_realloc(void *, craton_size);
char *__real_strdup(const char *);

#ifdef CRATON_FREE
/* What is no block of its own makes the sanitizer stumble before it can tell. */
int __sanitizer_get_ownership(const volatile void *);

static void craton_owned(void *pointer)
{
    if (pointer && !__sanitizer_get_ownership(pointer)) craton_stop('R', CRATON_VIOLATED, "");
}
#else
static void craton_owned(void *pointer) { (void)pointer; }
#endif

/* Blocks are known by how many there were before, and hold zeros or what the counterexample says. */
static void *craton_begun(void *block, craton_size size)
{
    if (block) craton_fill_memory(block, size, CRATON_BLOCK, craton.allocated);
    craton.allocated++;
    return block;
}
void __wrap_free(void *pointer) { craton_owned(pointer); __real_free(pointer); }
void *__wrap_malloc(craton_size size) { return craton_begun(__real_malloc(size), size); }
void *__wrap_calloc(craton_size count, craton_size size) { return craton_begun(__real_calloc(count, size), 0); }
char *__wrap_strdup(const char *text) { return (char *)craton_begun(__real_strdup(text), 0); }
void *__wrap_realloc(void *pointer, craton_size size)
{
    craton_owned(pointer);
    return craton_begun(__real_realloc(pointer, size), 0);
}
#endif

static int craton_begins(const char *text, const char *with)
{
    while (*with) if (*text++ != *with++) return 0;
    return 1;
}

static void craton_sanitizer(const char *report)
{
    static const char title[] = "ERROR: AddressSanitizer: ";
    char line[100];
    craton_size i;
    while (*report && !craton_begins(report, title)) report++;
    if (*report) report += sizeof title - 1;
    for (i = 0; i < sizeof craton_faults / sizeof *craton_faults; i++)
        if (craton_begins(report, craton_faults[i])) craton_stop('R', CRATON_VIOLATED ": ", craton_faults[i]);
    for (i = 0; i + 1 < sizeof line && report[i] && report[i] != '\n'; i++) line[i] = report[i];
    line[i] = 0;
    craton_stop('O', "another fault, which the address sanitizer calls ", line);
}
#endif

/* --- before the program: the token is read, and the process confined ------------------------------------------------- */

/* What the program finds on its standard input. */
static void craton_feed(const unsigned char *bytes, craton_size size)
{
    int ends[2];
    craton_size i;
    if (craton_call(CRATON_PIPE, (long)ends, 0, 0, 0, 0, 0) < 0) return;
    for (i = 0; i < size;) {
        long written = craton_call(CRATON_WRITE, ends[1], (long)(bytes + i), (long)(size - i), 0, 0, 0);
        if (written <= 0) break;
        i += (craton_size)written;
    }
    craton_call(CRATON_CLOSE, ends[1], 0, 0, 0, 0, 0);
    if (ends[0] != 0) {
        craton_call(CRATON_DUP2, ends[0], 0, 0, 0, 0, 0);
        craton_call(CRATON_CLOSE, ends[0], 0, 0, 0, 0, 0);
    }
}

#ifdef CRATON_SUPERVISED
struct craton_filter { unsigned short code; unsigned char yes, no; unsigned value; };

static void craton_limit(int resource, unsigned long most)
{
    unsigned long limit[2];
    limit[0] = limit[1] = most;
    craton_call(CRATON_SETRLIMIT, resource, (long)limit, 0, 0, 0, 0);
}

/* Only calls that stay inside of the process are allowed, others fail: no files, no network, and signals to itself alone.
   Files may be missing for anybody, and are told to be; but what a program does that may not write files, or start
   threads or others, is not what it does. */
static int craton_confine(void)
{
    enum { LOAD = 0x20, EQUAL = 0x15, ANY = 0x45, RETURN = 0x06 };
    enum { COUNT = sizeof craton_allowed / sizeof *craton_allowed };
    enum { STARTING = sizeof craton_starting / sizeof *craton_starting };
    enum { FILES = sizeof craton_files / sizeof *craton_files };
    const unsigned allow = 0x7fff0000u, fail = 0x00050001u, missing = 0x00050002u, end = 0x80000000u;
    struct craton_filter filter[2 * COUNT + 2 * STARTING + 2 * FILES + 26];
    struct { unsigned short length; struct craton_filter *filter; } program;
    unsigned n = 0, i;
#define CRATON_RULE(a, b, c, d) \
    (filter[n].code = (a), filter[n].yes = (b), filter[n].no = (c), filter[n].value = (unsigned)(d), n++)
    CRATON_RULE(LOAD, 0, 0, 4);
    CRATON_RULE(EQUAL, 1, 0, CRATON_ARCHITECTURE);
    CRATON_RULE(RETURN, 0, 0, end);
    CRATON_RULE(LOAD, 0, 0, 0);
    for (i = 0; i < COUNT; i++) {
        CRATON_RULE(EQUAL, 0, 1, craton_allowed[i]);
        CRATON_RULE(RETURN, 0, 0, allow);
    }
    for (i = 0; i < STARTING; i++) {
        CRATON_RULE(EQUAL, 0, 1, craton_starting[i]);
        CRATON_RULE(RETURN, 0, 0, end);
    }
    for (i = 0; i < 2; i++) { /* the flags are the second argument, or the third */
        CRATON_RULE(EQUAL, 0, 4, i ? CRATON_OPENAT : CRATON_OPEN);
        CRATON_RULE(LOAD, 0, 0, i ? 32 : 24);
        CRATON_RULE(ANY, 0, 1, 0x43); /* O_WRONLY, O_RDWR, O_CREAT */
        CRATON_RULE(RETURN, 0, 0, end);
        CRATON_RULE(RETURN, 0, 0, missing);
    }
    for (i = 0; i < FILES; i++) {
        CRATON_RULE(EQUAL, 0, 1, craton_files[i]);
        CRATON_RULE(RETURN, 0, 0, missing);
    }
    CRATON_RULE(EQUAL, 0, 3, CRATON_TGKILL);
    CRATON_RULE(LOAD, 0, 0, 16);
    CRATON_RULE(EQUAL, 0, 1, craton_call(CRATON_GETPID, 0, 0, 0, 0, 0, 0));
    CRATON_RULE(RETURN, 0, 0, allow);
    CRATON_RULE(RETURN, 0, 0, fail);
    program.length = (unsigned short)n;
    program.filter = filter;
    return !craton_call(CRATON_PRCTL, 38, 1, 0, 0, 0, 0) && !craton_call(CRATON_PRCTL, 22, 2, (long)&program, 0, 0, 0);
}

#ifdef CRATON_GUIDED
/* Until somebody listens they are ignored. */
static void craton_begin_ticks(void)
{
    struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask[2]; } ignored =
        {(void (*)(int))1, 0, 0, {0, 0}};
    long every[4] = {0, CRATON_TICKS, 0, CRATON_TICKS};
    craton_call(CRATON_SIGACTION, CRATON_TICK, (long)&ignored, 0, 8, 0, 0);
    craton_call(CRATON_SETITIMER, 1, (long)every, 0, 0, 0, 0);
}
#endif

static void craton_hear(void *what, craton_size size)
{
    craton_size got = 0;
    while (got < size) {
        long some = craton_call(CRATON_READ, 0, (long)((char *)what + got), (long)(size - got), 0, 0, 0);
        if (some <= 0) craton_call(CRATON_EXIT_GROUP, 2, 0, 0, 0, 0, 0);
        got += (craton_size)some;
    }
}

static void craton_begin(void)
{
#ifdef CRATON_DRAWN
    unsigned char standard_input[4096];
    unsigned size;
#endif
    craton.channel = (int)craton_call(CRATON_FCNTL, 0, 0, 200, 0, 0, 0);
    if (craton.channel < 0) craton.channel = (int)craton_call(CRATON_FCNTL, 0, 0, 3, 0, 0, 0); /* few are allowed */
    craton_hear(craton.token, sizeof craton.token);
#ifdef CRATON_DRAWN
    craton_hear(&craton.seed, sizeof craton.seed);
    craton.seeded = craton.seed != 0;
    craton.steady = craton.seed % 8 < 3 ? craton.seed % 8 : 0;
    craton_hear(&size, sizeof size);
    craton_hear(standard_input, size < sizeof standard_input ? size : sizeof standard_input);
#endif
    craton_call(CRATON_CLOSE, 0, 0, 0, 0, 0, 0);
#ifdef CRATON_DRAWN
    craton_feed(standard_input, size);
#else
    craton_feed(craton_standard_input, CRATON_STANDARD_INPUT);
#endif
    craton_call(CRATON_PRCTL, 1, 9, 0, 0, 0, 0); /* ends with the process that started it */
    craton_limit(0, CRATON_SECONDS);
    craton_limit(1, 0);
    craton_limit(4, 0);
    craton_limit(6, 0);
#ifndef CRATON_ASAN /* which reserves more than there is */
    craton_limit(9, CRATON_BYTES);
#endif
#ifdef CRATON_GUIDED
    craton_begin_ticks();
#endif
    if (!craton_confine()) craton_stop('S', "this kernel has no seccomp filters", "");
}
#else
static void craton_begin(void)
{
    if (CRATON_STANDARD_INPUT) craton_feed(craton_standard_input, CRATON_STANDARD_INPUT);
}
#endif

__attribute__((constructor(101))) static void craton_first(void)
{
#if defined(CRATON_ASAN) && !defined(CRATON_WATCHED)
    __asan_set_error_report_callback(craton_sanitizer);
    craton_begin();
#endif
}

#ifdef CRATON_FREESTANDING
/* --- without a C library: the start of the process, and what compilers and programs take for granted ----------------- */

typedef void (*craton_action)(void);
extern craton_action __init_array_start[] CRATON_WEAK, __init_array_end[] CRATON_WEAK;
extern craton_action __fini_array_start[] CRATON_WEAK, __fini_array_end[] CRATON_WEAK;
int main();

#ifdef CRATON_GUIDED /* which has its own end */
void exit(int code);
#else
__attribute__((noreturn)) CRATON_WEAK void _exit(int code)
{
    for (;;) craton_call(CRATON_EXIT_GROUP, code, 0, 0, 0, 0, 0);
}
__attribute__((noreturn)) CRATON_WEAK void _Exit(int code) { _exit(code); }

__attribute__((noreturn)) CRATON_WEAK void exit(int code)
{
    craton_action *action;
    for (action = __fini_array_end; action != __fini_array_start;) (*--action)();
    _exit(code);
}

__attribute__((noreturn)) CRATON_WEAK void abort(void) { craton_stop('E', "calls abort", ""); }
#endif

__attribute__((used, noreturn)) static void craton_start(craton_word *stack)
{
    craton_action *action;
    int count = (int)stack[0];
    char **arguments = (char **)(stack + 1);
#ifdef CRATON_WATCHED
    craton_watch((craton_word)stack);
#endif
    craton_begin();
    for (action = __init_array_start; action != __init_array_end; action++) (*action)(); /* craton_first among them */
    exit(main(count, arguments, arguments + count + 1));
}

#ifdef __i386__
__asm__(".globl _start\n_start: xorl %ebp, %ebp\n movl %esp, %eax\n andl $-16, %esp\n subl $12, %esp\n pushl %eax\n"
        " call craton_start\n");
#else
__asm__(".globl _start\n_start: xorl %ebp, %ebp\n movq %rsp, %rdi\n andq $-16, %rsp\n call craton_start\n");
#endif

CRATON_WEAK void *memcpy(void *to, const void *from, craton_size size)
{
    craton_size i;
    craton_touch(from, size);
    craton_touch(to, size);
    for (i = 0; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

CRATON_WEAK void *memmove(void *to, const void *from, craton_size size)
{
    craton_touch(from, size);
    craton_touch(to, size);
    if ((craton_word)to <= (craton_word)from) return memcpy(to, from, size);
    while (size--) ((char *)to)[size] = ((const char *)from)[size];
    return to;
}

CRATON_WEAK void *memset(void *to, int value, craton_size size)
{
    craton_size i;
    craton_touch(to, size);
    for (i = 0; i < size; i++) ((char *)to)[i] = (char)value;
    return to;
}

CRATON_WEAK int memcmp(const void *a, const void *b, craton_size size)
{
    const unsigned char *p = a, *q = b;
    craton_touch(a, size);
    craton_touch(b, size);
    for (; size; size--, p++, q++) if (*p != *q) return *p < *q ? -1 : 1;
    return 0;
}

CRATON_WEAK craton_size strlen(const char *text)
{
    craton_size size = 0;
    while (craton_touch(text + size, 1), text[size]) size++;
    return size;
}

CRATON_WEAK int strcmp(const char *a, const char *b)
{
    for (; craton_touch(a, 1), craton_touch(b, 1), *a && *a == *b; a++, b++) {}
    return (unsigned char)*a - (unsigned char)*b;
}

CRATON_WEAK int strncmp(const char *a, const char *b, craton_size size)
{
    for (; size && (craton_touch(a, 1), craton_touch(b, 1), *a && *a == *b); a++, b++, size--) {}
    return size ? (unsigned char)*a - (unsigned char)*b : 0;
}

CRATON_WEAK char *strcpy(char *to, const char *from) { memcpy(to, from, strlen(from) + 1); return to; }
CRATON_WEAK char *strcat(char *to, const char *from) { strcpy(to + strlen(to), from); return to; }

CRATON_WEAK char *strncpy(char *to, const char *from, craton_size size)
{
    craton_size i;
    craton_touch(to, size);
    for (i = 0; i < size && (craton_touch(from + i, 1), from[i]); i++) to[i] = from[i];
    for (; i < size; i++) to[i] = 0;
    return to;
}

CRATON_WEAK char *strchr(const char *text, int wanted)
{
    for (;; text++) {
        craton_touch(text, 1);
        if (*text == (char)wanted) return (char *)text;
        if (!*text) return 0;
    }
}

CRATON_WEAK void *memchr(const void *block, int wanted, craton_size size)
{
    const unsigned char *p = block;
    for (; size; size--, p++) {
        craton_touch(p, 1);
        if (*p == (unsigned char)wanted) return (void *)p;
    }
    return 0;
}

#ifdef __i386__ /* 64-bit division, which compilers leave to a library of theirs */
typedef unsigned long long craton_long;

CRATON_WEAK craton_long __udivmoddi4(craton_long a, craton_long b, craton_long *rest)
{
    craton_long quotient = 0, left = 0;
    int i;
    if (!b) { volatile int zero = 0; quotient = 1 / zero; }
    for (i = 63; i >= 0; i--) {
        int carry = (int)(left >> 63);
        left = left << 1 | (a >> i & 1);
        if (carry || left >= b) { left -= b; quotient |= 1ull << i; }
    }
    if (rest) *rest = left;
    return quotient;
}

CRATON_WEAK craton_long __udivdi3(craton_long a, craton_long b) { return __udivmoddi4(a, b, 0); }
CRATON_WEAK craton_long __umoddi3(craton_long a, craton_long b) { craton_long r; __udivmoddi4(a, b, &r); return r; }

static craton_long craton_size_of(long long x) { return x < 0 ? -(craton_long)x : (craton_long)x; }

CRATON_WEAK long long __divdi3(long long a, long long b)
{
    craton_long q = __udivmoddi4(craton_size_of(a), craton_size_of(b), 0);
    return (long long)((a < 0) != (b < 0) ? -q : q);
}

CRATON_WEAK long long __moddi3(long long a, long long b)
{
    craton_long r;
    __udivmoddi4(craton_size_of(a), craton_size_of(b), &r);
    return (long long)(a < 0 ? -r : r);
}

CRATON_WEAK long long __divmoddi4(long long a, long long b, long long *rest)
{
    *rest = __moddi3(a, b);
    return __divdi3(a, b);
}
#endif
#elif !defined(CRATON_ASAN) /* before all constructors; the sanitizer has to come first */
__attribute__((section(".preinit_array"), used)) static void (*const craton_preinit)(void) = craton_begin;
#endif
