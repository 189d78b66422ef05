extern time_t __craton_any_time(void);
time_t time(time_t *t) {
    time_t now = __craton_any_time();
    __craton_assume(now >= -1);
    if (t) *t = now;
    return now;
}
/* The distance is exact before it becomes a double. */
static double distance(time_t from, time_t to) { return (double)((unsigned long)to - (unsigned long)from); }
double difftime(time_t a, time_t b) { return a < b ? -distance(a, b) : distance(b, a); }

/* What these give is in memory of the library, which each call may write anew: the same or another than before. */
extern struct tm __craton_any_tm(void);
static struct tm broken_down[2];
static char texts[2][64];
/* The time zone is looked up in files, and the year may not fit. */
static void may_set_errno(void) {
    if (__craton_open_int()) errno = __craton_open_int();
}
static struct tm *some_time(const time_t *t) {
    (void)*t;
    may_set_errno();
    broken_down[0] = __craton_any_tm();
    broken_down[1] = __craton_any_tm();
    if (__craton_any_int() == 1) return 0;
    return &broken_down[__craton_any_int() != 0];
}
static char *some_text(void) {
    may_set_errno();
    __craton_scramble(texts, sizeof texts);
    texts[0][63] = texts[1][63] = 0;
    if (__craton_any_int() == 1) return 0;
    return texts[__craton_any_int() != 0];
}
struct tm *localtime(const time_t *t) { return some_time(t); }
struct tm *gmtime(const time_t *t) { return some_time(t); }
char *ctime(const time_t *t) { return some_time(t) ? some_text() : 0; }
char *asctime(const struct tm *t) { __craton_reads(t, sizeof *t); return some_text(); }
