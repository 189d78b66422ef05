extern time_t __craton_any_time(void);
time_t time(time_t *t) {
    time_t now = __craton_any_time();
    __craton_assume(now >= -1);
    if (t) *t = now;
    return now;
}
double difftime(time_t a, time_t b) { return (double)a - (double)b; }
