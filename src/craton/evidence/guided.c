#ifdef CRATON_GUIDED
/* Runs that learn from runs: the program runs again and again in one process, on inputs that begin like those of a run
   that came somewhere new and go on with drawn ones. Compilers tell where control comes (trace-pc) and what is compared
   (trace-cmp): what an input was compared with is worth trying as that input.

   Between two runs the program's variables and its memory are put back. What the C library keeps is not, so a run that
   fails here is a suggestion only: its inputs are run again in processes of their own. */

enum {
    CRATON_PLACES = 1 << 16, CRATON_SITES = 1 << 10, CRATON_WORTH = 24, CRATON_KEPT = 1 << 13, CRATON_LONG = 4096,
    CRATON_RECENT = 8, CRATON_POOL = 1 << 21, CRATON_PATIENCE = 20000, CRATON_NO_INPUT = -0x5EED5EED
};

static struct craton_guide {
    void *back[5]; /* where a run ends */
    unsigned long long runs, ticked; /* so many, and in which of them and how far the last tick came */
    unsigned ticked_at;
    volatile int running;
    /* where this run was, and how often; for any run a bit for each order of how often */
    unsigned char now[CRATON_PLACES], ever[CRATON_PLACES];
    unsigned touched[CRATON_PLACES], touches;
    craton_word before; /* the last place */
    unsigned idle, same, patience; /* steps since an input, steps in one place, and how many of them may be */
    /* what inputs of each place in the program were compared with, and the last ones */
    struct { unsigned count; craton_value values[CRATON_WORTH]; } sites[CRATON_SITES];
    struct { unsigned site; craton_value value; } recent[CRATON_RECENT];
    unsigned asked;
    /* in some runs (1: always, 2: mostly) a place gives what it gave first */
    unsigned steady;
    struct { unsigned long long run; craton_value value; } first[CRATON_SITES];
    /* inputs to begin with; so many of them, so many inputs at most, and how many of 256 are what was learnt */
    craton_value given[CRATON_LONG];
    unsigned begun, longest, learnt;
    /* the inputs of runs that came somewhere new */
    struct { unsigned at, length; } kept[CRATON_KEPT];
    craton_value pool[CRATON_POOL];
    unsigned count, used;
    /* the program's variables, and what they hold when a run begins */
    unsigned char *data, *saved;
    craton_size size;
} *craton_guide;

static void craton_copy(void *to, const void *from, craton_size size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void craton_clear(void *to, craton_size size)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");
}

__attribute__((noreturn)) static void craton_leave(void)
{
    if (craton_guide) __builtin_longjmp(craton_guide->back, 1);
    for (;;) craton_call(CRATON_EXIT_GROUP, 0, 0, 0, 0, 0, 0); /* before main has begun */
}

static unsigned craton_hash(craton_word place, unsigned bits)
{
    return (unsigned)(place * 0x9E3779B97F4A7C15ull >> (64 - bits));
}

/* --- what is seen ---------------------------------------------------------------------------------------------------- */

static void craton_see(craton_word place)
{
    struct craton_guide *guide = craton_guide;
    unsigned index = craton_hash(place, 16);
    if (!guide->now[index]) guide->touched[guide->touches++] = index;
    if (guide->now[index] != 255) guide->now[index]++;
}

/* The compiler puts a call before each piece of straight code of the program. */
void __sanitizer_cov_trace_pc(void)
{
    craton_word here = (craton_word)__builtin_return_address(0);
    struct craton_guide *guide = craton_guide;
    if (!guide) return;
    guide->same = here == guide->before ? guide->same + 1 : 0;
    if (++guide->idle > guide->patience || guide->same > guide->patience / 8) craton_leave();
    craton_see(here ^ guide->before << 1);
    guide->before = here;
}

/* How many inputs a run had, and small numbers that variables hold at its end: what was not seen before may lead on,
   though no place is new. */
static void craton_look(void)
{
    struct craton_guide *guide = craton_guide;
    const craton_word *now = (const craton_word *)guide->data, *then = (const craton_word *)guide->saved;
    craton_size i, j, words = guide->size / sizeof *now;
    if (craton.taken < 64) craton_see(craton.taken);
    for (i = 0; i < words; i++) {
        const int *numbers = (const int *)&now[i];
        if (now[i] == then[i] || ((const char *)&now[i] >= (const char *)&craton && (const char *)&now[i] < (const char *)(&craton + 1)))
            continue;
        for (j = 0; j < sizeof *now / sizeof *numbers; j++)
            if (numbers[j] >= -16 && numbers[j] < 64) craton_see(((craton_word)&numbers[j] << 8) + (unsigned char)numbers[j]);
    }
}

/* 1, 2, 3, up to 7, 15, 31, 127, more */
static unsigned char craton_order(unsigned char times)
{
    return times > 127 ? 128 : times > 31 ? 64 : times > 15 ? 32 : times > 7 ? 16 : times > 3 ? 8 : times > 2 ? 4 : times;
}

static int craton_is_new(void)
{
    struct craton_guide *guide = craton_guide;
    unsigned i, found = 0;
    for (i = 0; i < guide->touches; i++) {
        unsigned index = guide->touched[i];
        unsigned char order = craton_order(guide->now[index]);
        found |= order & ~guide->ever[index];
        guide->ever[index] |= order;
        guide->now[index] = 0;
    }
    guide->touches = 0;
    return found != 0;
}

/* --- what is compared ------------------------------------------------------------------------------------------------ */

static void craton_learn(unsigned site, craton_value value)
{
    struct craton_guide *guide = craton_guide;
    unsigned i, count = guide->sites[site].count;
    for (i = 0; i < count; i++) if (guide->sites[site].values[i] == value) return;
    if (count < CRATON_WORTH) guide->sites[site].count++;
    else i = craton_roll() % CRATON_WORTH;
    guide->sites[site].values[i] = value;
}

static craton_value craton_low(unsigned long long value, unsigned bits)
{
    return (craton_value)(value << (64 - bits)) >> (64 - bits);
}

/* One side may be an input that was asked for before: then the other and its neighbours are worth trying there. */
static void craton_compared(craton_value one, craton_value other, unsigned bits)
{
    unsigned i;
    if (!craton_guide) return;
    for (i = 0; i < CRATON_RECENT; i++) {
        unsigned site = craton_guide->recent[i].site;
        if (craton_low(craton_guide->recent[i].value, bits) != craton_low(one, bits)) continue;
        craton_learn(site, other);
        if (craton_roll() % 8 == 0) craton_learn(site, craton_roll() & 1 ? other + 1 : other - 1);
    }
}

#define CRATON_COMPARES(size, type) \
    void __sanitizer_cov_trace_cmp##size(type a, type b) { craton_compared(a, b, 8 * size); craton_compared(b, a, 8 * size); } \
    void __sanitizer_cov_trace_const_cmp##size(type a, type b) { craton_compared(b, a, 8 * size); }
CRATON_COMPARES(1, signed char)
CRATON_COMPARES(2, short)
CRATON_COMPARES(4, int)
CRATON_COMPARES(8, long long)
void __sanitizer_cov_trace_cmpf(float a, float b) {}
void __sanitizer_cov_trace_cmpd(double a, double b) {}

/* How many cases there are, of how many bits, and the cases. */
void __sanitizer_cov_trace_switch(unsigned long long value, const unsigned long long *cases)
{
    unsigned long long i;
    unsigned j, bits = (unsigned)cases[1];
    if (!craton_guide) return;
    for (j = 0; j < CRATON_RECENT; j++)
        if (craton_low(craton_guide->recent[j].value, bits) == craton_low(value, bits))
            for (i = 0; i < cases[0]; i++) craton_learn(craton_guide->recent[j].site, craton_low(cases[i + 2], bits));
}

/* --- what is given --------------------------------------------------------------------------------------------------- */

/* Whether the next input is one to begin with. */
static int craton_is_given(void) { return craton.taken < craton_guide->begun; }

static craton_value craton_chosen(unsigned site, int pointer)
{
    struct craton_guide *guide = craton_guide;
    unsigned kind = craton_roll() % 8;
    if (!guide->runs) return 0;
    if (pointer && craton_roll() % 4) /* null, an error code, a small number, else memory of its own */
        return !kind ? 0 : kind == 1 ? -1 - (craton_value)(craton_roll() % 40) : kind == 2 ? 16 * (1 + craton_roll() % 100)
             : (craton_value)(1 + craton.taken) << 16;
    if (guide->sites[site].count && craton_roll() % 256 < guide->learnt)
        return guide->sites[site].values[craton_roll() % guide->sites[site].count];
    return craton_number();
}

static craton_value craton_chosen_again(unsigned site, int pointer)
{
    struct craton_guide *guide = craton_guide;
    int known = guide->first[site].run == guide->runs && guide->runs;
    craton_value value;
    if (pointer) return craton_chosen(site, pointer); /* memory of its own is not given twice */
    if (known && (guide->steady == 1 || (guide->steady == 2 && craton_roll() % 64))) return guide->first[site].value;
    value = craton_chosen(site, 0);
    if (!known) {
        guide->first[site].run = guide->runs;
        guide->first[site].value = value;
    }
    return value;
}

/* The next input, of a function that is called from a place. */
static craton_value craton_ask(unsigned function, craton_word place, int pointer)
{
    struct craton_guide *guide = craton_guide;
    unsigned site = craton_hash(place + function, 10), last;
    if (!guide || craton.taken >= guide->longest) craton_leave();
    last = guide->asked++ % CRATON_RECENT;
    guide->recent[last].site = site;
    guide->recent[last].value = craton_is_given() ? guide->given[craton.taken] : craton_chosen_again(site, pointer);
    guide->idle = 0;
    return guide->recent[last].value;
}

/* --- runs ------------------------------------------------------------------------------------------------------------ */

static craton_value craton_drawn_value(unsigned i)
{
    unsigned long long value = 0;
    unsigned j, size = craton_drawn[i].size > 8 ? 8 : craton_drawn[i].size;
    for (j = 0; j < size; j++) value |= (unsigned long long)craton_drawn[i].bytes[j] << 8 * j;
    return craton_low(value, 8 * size);
}

static void craton_keep(void)
{
    struct craton_guide *guide = craton_guide;
    unsigned i, length = craton.taken > CRATON_LONG ? CRATON_LONG : (unsigned)craton.taken;
    if (guide->count == CRATON_KEPT || guide->used + length > CRATON_POOL) return;
    for (i = 0; i < length; i++) guide->pool[guide->used + i] = craton_drawn_value(i);
    guide->kept[guide->count].at = guide->used;
    guide->kept[guide->count++].length = length;
    guide->used += length;
}

/* What the next run begins with: nothing; the inputs of a run that was kept, a recent one as often as any; a part of
   them; or some of them changed. */
static void craton_choose(void)
{
    static const unsigned lengths[] = {16, 64, 256, CRATON_LONG}, learnt[] = {128, 220, 250, 256};
    struct craton_guide *guide = craton_guide;
    unsigned which, i, at, length, kind = craton_roll() % 16;
    guide->longest = lengths[craton_roll() % 4];
    guide->steady = craton_roll() % 16;
    guide->learnt = learnt[craton_roll() % 4];
    guide->patience = craton_roll() % 32 ? CRATON_PATIENCE : 32 * CRATON_PATIENCE;
    guide->begun = 0;
    if (!guide->count || !kind) return;
    which = guide->count > 8 && craton_roll() & 1 ? guide->count - 1 - craton_roll() % 8 : craton_roll() % guide->count;
    length = guide->kept[which].length;
    if (kind < 4 && length) length = craton_roll() % length;
    craton_copy(guide->given, guide->pool + guide->kept[which].at, length * sizeof *guide->given);
    for (i = kind > 10 && length ? 1 + craton_roll() % 2 : 0; i; i--) {
        at = craton_roll() % length;
        guide->given[at] = craton_roll() & 1 ? craton_number() : guide->given[craton_roll() % length];
    }
    guide->begun = length;
    if (guide->longest < length + 16) guide->longest = length + 16 < CRATON_LONG ? length + 16 : CRATON_LONG;
}

/* All that a run has changed. */
static void craton_put_back(void)
{
    struct craton_guide *guide = craton_guide;
    unsigned long long seed = craton.seed;
    char *used = craton.free_begin;
    unsigned i;
    craton_copy(guide->data, guide->saved, guide->size);
    craton_clear(craton.free_begin, (craton_size)(used - craton.free_begin));
    craton.seed = seed;
    guide->before = guide->idle = guide->same = guide->asked = 0;
    for (i = 0; i < CRATON_RECENT; i++) guide->recent[i].value = CRATON_NO_INPUT;
}

/* Back from a signal. */
#ifdef __i386__
__asm__(".text\ncraton_resume: movl $173, %eax\n int $0x80\n");
#else
__asm__(".text\ncraton_resume: movl $15, %eax\n syscall\n");
#endif
extern void craton_resume(void) __asm__("craton_resume");

/* A fault ends a run; so does a tick if nothing was asked for since the last one: not every loop tells where it is. */
static void craton_signal(int signal)
{
    struct craton_guide *guide = craton_guide;
    if (!guide->running) return;
    if (signal != CRATON_TICK || (guide->ticked == guide->runs && guide->ticked_at == guide->asked)) craton_leave();
    guide->ticked = guide->runs;
    guide->ticked_at = guide->asked;
}

static void craton_catch(void)
{
    static const int signals[] = {4, 5, 7, 8, 11, CRATON_TICK};
    const unsigned long on_stack = 0x08000000, again = 0x40000000, has_restorer = 0x04000000, information = 4;
    struct { void *stack; int flags; craton_size size; } other = {craton_pages(1 << 16), 0, 1 << 16};
    struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask[2]; } action =
        {craton_signal, on_stack | again | has_restorer | information, craton_resume, {0, 0}};
    unsigned i;
    craton_call(CRATON_SIGALTSTACK, (long)&other, 0, 0, 0, 0, 0);
    for (i = 0; i < sizeof signals / sizeof *signals; i++)
        craton_call(CRATON_SIGACTION, signals[i], (long)&action, 0, 8, 0, 0);
}

#ifndef CRATON_MEMTRACK
extern char __data_start[] CRATON_WEAK, _end[] CRATON_WEAK;
#endif

__attribute__((noreturn)) static void craton_search(int (*run)(void))
{
    struct craton_guide *guide = (struct craton_guide *)craton_pages(sizeof *guide);
    craton_drawn = (struct craton_input *)craton_pages(CRATON_DRAWN * sizeof *craton_drawn);
    craton_memory(16, 16, 0); /* all that runs may have is there from now on */
    guide->data = (unsigned char *)(((craton_word)__data_start + 15) & ~(craton_word)15);
    guide->size = (craton_size)((unsigned char *)_end - guide->data);
    guide->saved = (unsigned char *)craton_pages(guide->size);
    craton_guide = guide;
    craton_catch();
    craton_choose();
    craton_copy(guide->saved, guide->data, guide->size);
    for (;; guide->runs++) {
        if (!__builtin_setjmp(guide->back)) {
            guide->running = 1;
            run();
        }
        guide->running = 0;
        craton_look();
        if (craton_is_new()) craton_keep();
        craton_put_back();
        craton_choose();
    }
}

/* The program ends: the next run. */
CRATON_WEAK void exit(int code) { craton_leave(); }
CRATON_WEAK void _exit(int code) { craton_leave(); }
CRATON_WEAK void _Exit(int code) { craton_leave(); }
CRATON_WEAK void abort(void) { craton_leave(); }
#endif
