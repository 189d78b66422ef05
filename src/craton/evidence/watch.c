/* --- memory is watched over where there is no library of the address sanitizer ----------------------------------------

   Compilers put the checks into the program; this is what the checks ask and call, as far as C for i386 needs it. A byte of
   the shadow stands for eight of memory: 0 if all may be touched, k if the first k, negative if none. Blocks, frames that
   outlive their functions and globals have such bytes round them, and keep them when their lives are over: nothing is
   given twice. What is touched far away from any object is not noticed. */

#ifdef CRATON_WATCHED
enum { CRATON_SHADOW = 0x20000000, CRATON_ROOM = 48, CRATON_FIRST_PAGES = 1 << 16, CRATON_FRAMES = 1 << 26 };
enum { CRATON_BESIDE_BLOCK = 0xfa, CRATON_FREED = 0xfd, CRATON_RETURNED = 0xf5, CRATON_OUT_OF_SCOPE = 0xf8,
       CRATON_BESIDE_GLOBAL = 0xf9, CRATON_NOWHERE = 0xfe, CRATON_BEFORE_ALLOCA = 0xca, CRATON_BEHIND_ALLOCA = 0xcb };

int __asan_option_detect_stack_use_after_return = 1;
static craton_word craton_stack_top;

static signed char *craton_shadow(craton_word at) { return (signed char *)((at >> 3) + CRATON_SHADOW); }

/* From the begin of eight bytes on. */
static void craton_close(craton_word begin, craton_size size, int kind)
{
    craton_size i;
    for (i = 0; i < size; i += 8) *craton_shadow(begin + i) = (signed char)kind;
}

static void craton_open(craton_word begin, craton_size size)
{
    craton_close(begin, size, 0);
    if (size & 7) *craton_shadow(begin + size) = (signed char)(size & 7);
}

/* Before anything of the program runs; where its own objects lie there is no room (MAP_FIXED_NOREPLACE). */
static void craton_watch(craton_word stack)
{
    volatile unsigned long arguments[6] = {CRATON_SHADOW, 1ul << 29, 3, 0x104022, -1ul, 0};
    long found = craton_call(CRATON_MMAP, (long)arguments, 0, 0, 0, 0, 0);
    if (found != CRATON_SHADOW) craton_stop('U', "there is no room to watch over memory", "");
    craton_stack_top = stack;
    craton_close(0, CRATON_FIRST_PAGES, CRATON_NOWHERE);
}

static void craton_fault(craton_word at)
{
    const signed char *shadow = craton_shadow(at);
    switch ((unsigned char)(*shadow < 0 ? *shadow : shadow[1])) {
    case CRATON_BESIDE_BLOCK: craton_sanitizer("ERROR: AddressSanitizer: heap-buffer-overflow"); break;
    case CRATON_FREED: craton_sanitizer("ERROR: AddressSanitizer: heap-use-after-free"); break;
    case CRATON_RETURNED: craton_sanitizer("ERROR: AddressSanitizer: stack-use-after-return"); break;
    case CRATON_OUT_OF_SCOPE: craton_sanitizer("ERROR: AddressSanitizer: stack-use-after-scope"); break;
    case CRATON_BESIDE_GLOBAL: craton_sanitizer("ERROR: AddressSanitizer: global-buffer-overflow"); break;
    case CRATON_NOWHERE: craton_sanitizer("ERROR: AddressSanitizer: SEGV"); break;
    case CRATON_BEFORE_ALLOCA:
    case CRATON_BEHIND_ALLOCA: craton_sanitizer("ERROR: AddressSanitizer: dynamic-stack-buffer-overflow"); break;
    default: craton_sanitizer("ERROR: AddressSanitizer: stack-buffer-overflow");
    }
}

static void craton_touch(const volatile void *begin, craton_size size)
{
    craton_word at = (craton_word)begin, end = at + size;
    if (end < at) craton_sanitizer("ERROR: AddressSanitizer: negative-size-param");
    for (; at < end; at = (at | 7) + 1) {
        signed char known = *craton_shadow(at);
        craton_word last = (at | 7) < end - 1 ? at | 7 : end - 1;
        if (known && (known < 0 || (signed char)(last & 7) >= known)) craton_fault(at);
        if ((at | 7) == (craton_word)-1) break;
    }
}

#define CRATON_TOUCHED(name, size) \
    void __asan_report_load##name(craton_word at) { craton_fault(at); } \
    void __asan_report_store##name(craton_word at) { craton_fault(at); } \
    void __asan_load##name(const void *at) { craton_touch(at, size); } \
    void __asan_store##name(const void *at) { craton_touch(at, size); }
CRATON_TOUCHED(1, 1)
CRATON_TOUCHED(2, 2)
CRATON_TOUCHED(4, 4)
CRATON_TOUCHED(8, 8)
CRATON_TOUCHED(16, 16)

/* The first byte of some that may not be touched. */
static void craton_fault_among(craton_word at, craton_size size)
{
    craton_touch((void *)at, size);
    craton_fault(at);
}
void __asan_report_load_n(craton_word at, craton_size size) { craton_fault_among(at, size); }
void __asan_report_store_n(craton_word at, craton_size size) { craton_fault_among(at, size); }
void __asan_loadN(const void *at, craton_size size) { craton_touch(at, size); }
void __asan_storeN(const void *at, craton_size size) { craton_touch(at, size); }

void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}

struct craton_global {
    craton_word begin;
    craton_size size, whole;
    craton_word rest[5];
};

void __asan_register_globals(const struct craton_global *globals, craton_size count)
{
    craton_size i;
    for (i = 0; i < count; i++) {
        craton_close(globals[i].begin, globals[i].whole, CRATON_BESIDE_GLOBAL);
        craton_open(globals[i].begin, globals[i].size);
    }
}
void __asan_unregister_globals(const struct craton_global *globals, craton_size count) { (void)globals, (void)count; }

/* Frames of functions that are not left in the usual way are open again. */
void __asan_handle_no_return(void)
{
    craton_word here = (craton_word)__builtin_frame_address(0) & ~(craton_word)7;
    if (here < craton_stack_top) craton_close(here, craton_stack_top - here, 0);
}

void __asan_poison_stack_memory(craton_word at, craton_size size) { craton_close(at, size, CRATON_OUT_OF_SCOPE); }
void __asan_unpoison_stack_memory(craton_word at, craton_size size) { craton_open(at, size); }

void __asan_alloca_poison(craton_word at, craton_size size)
{
    craton_word end = at + size, behind = (end + 31) & ~(craton_word)31;
    craton_close(at - 32, 32, CRATON_BEFORE_ALLOCA);
    craton_close(end & ~(craton_word)7, behind - (end & ~(craton_word)7) + 32, CRATON_BEHIND_ALLOCA);
    if (end & 7) *craton_shadow(end) = (signed char)(end & 7);
}

void __asan_allocas_unpoison(craton_word top, craton_word bottom)
{
    if (top && top < bottom) craton_close(top, bottom - top, 0);
}

/* Frames apart from the stack, none given twice; where that would be too many the compiler's code takes the stack. The
   last word points to a byte that is cleared when the function returns. */
static void *craton_frame(craton_size size)
{
    static char *begin, flag;
    static craton_size used = CRATON_FRAMES;
    char *frame;
    if (!begin && (begin = (char *)craton_pages(CRATON_FRAMES))) used = 0;
    if (CRATON_FRAMES - used < size) return 0;
    frame = begin + used;
    used += size;
    *(char **)(frame + size - sizeof(char *)) = &flag;
    return frame;
}
#define CRATON_FRAME(n) \
    void *__asan_stack_malloc_##n(craton_size size) { (void)size; return craton_frame(64u << n); } \
    void __asan_stack_free_##n(craton_word at, craton_size size) { (void)size; craton_close(at, 64u << n, CRATON_RETURNED); }
CRATON_FRAME(0)
CRATON_FRAME(1)
CRATON_FRAME(2)
CRATON_FRAME(3)
CRATON_FRAME(4)
CRATON_FRAME(5)
CRATON_FRAME(6)
CRATON_FRAME(7)
CRATON_FRAME(8)
CRATON_FRAME(9)
CRATON_FRAME(10)

/* --- blocks ------------------------------------------------------------------------------------------------------------ */

static void *craton_guarded(craton_size alignment, craton_size size)
{
    char *new = (char *)craton_memory(alignment, size, 1);
    craton_word begin = (craton_word)new;
    if (!new) return 0;
    craton.free_begin = craton.free_end - craton.free_begin < CRATON_ROOM ? craton.free_end : craton.free_begin + CRATON_ROOM;
    craton_close(begin - sizeof(struct craton_block), (craton_word)craton.free_begin - begin + sizeof(struct craton_block),
                 CRATON_BESIDE_BLOCK);
    craton_open(begin, size);
    return new;
}

static struct craton_block *craton_living(void *pointer)
{
    struct craton_block *block;
    for (block = craton.blocks; block && pointer != block + 1;) block = block->next;
    if (!block) craton_sanitizer("ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed");
    else if (!block->live) craton_sanitizer("ERROR: AddressSanitizer: attempting double-free");
    return block;
}

CRATON_WEAK void *malloc(craton_size size) { return craton_guarded(16, size); }
CRATON_WEAK void *valloc(craton_size size) { return craton_guarded(4096, size); }
CRATON_WEAK void *memalign(craton_size to, craton_size size) { return craton_guarded(to < 16 ? 16 : to, size); }
CRATON_WEAK void *aligned_alloc(craton_size to, craton_size size) { return craton_guarded(to < 16 ? 16 : to, size); }

CRATON_WEAK void *calloc(craton_size count, craton_size size)
{
    craton_size all, i;
    char *new;
    if (__builtin_mul_overflow(count, size, &all)) return craton_refuse();
    new = (char *)craton_guarded(16, all);
    for (i = 0; new && i < all; i++) new[i] = 0;
    return new;
}

CRATON_WEAK void free(void *pointer)
{
    struct craton_block *block;
    if (!pointer) return;
    block = craton_living(pointer);
    block->live = 0;
    craton_close((craton_word)pointer, block->size, CRATON_FREED);
}

CRATON_WEAK void *realloc(void *old, craton_size size)
{
    craton_size i, kept = old ? craton_living(old)->size : 0;
    char *new = old && !size ? 0 : (char *)craton_guarded(16, size);
    for (i = 0; new && i < size && i < kept; i++) new[i] = ((char *)old)[i];
    if (new || !size) free(old);
    return new;
}

CRATON_WEAK char *strdup(const char *text)
{
    craton_size i, size = strlen(text) + 1;
    char *copy = (char *)craton_guarded(16, size);
    for (i = 0; i < size; i++) copy[i] = text[i];
    return copy;
}
#endif
