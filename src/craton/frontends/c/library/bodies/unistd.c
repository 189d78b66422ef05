extern ssize_t __craton_open_ssize(void);
static ssize_t received(void *p, size_t n) {
    char *bytes = p;
    ssize_t count = __craton_open_ssize();
    __craton_assume(count >= -1 && (count < 0 || (size_t)count <= n));
    if (count < 0) errno = __craton_open_int();
    for (ssize_t i = 0; i < count; i++) bytes[i] = __craton_input_char();
    return count;
}
ssize_t read(int file, void *p, size_t n) { return received(p, n); }
ssize_t recv(int file, void *p, size_t n, int flags) { return received(p, n); }
char *getcwd(char *p, size_t n) {
    size_t length = __craton_open_size();
    __craton_assume(length >= 1 && length < 4096);
    if ((n && length >= n) || (p && !n) || __craton_open_int()) { errno = __craton_open_int(); return 0; }
    if (!p) p = __builtin_malloc(n ? n : length + 1);
    __craton_scramble(p, length);
    p[0] = '/';
    p[length] = 0;
    return p;
}
