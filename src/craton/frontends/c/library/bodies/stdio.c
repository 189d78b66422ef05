char *fgets(char *s, int n, FILE *f) {
    size_t count = __craton_open_size();
    if (n <= 0 || __craton_open_int()) return 0;
    __craton_assume(count < (size_t)n && (count > 0 || n == 1));
    for (size_t i = 0; i < count; i++) s[i] = __craton_open_char();
    s[count] = 0;
    return s;
}

/* An element that was read in part is arbitrary. */
size_t fread(void *p, size_t size, size_t n, FILE *f) {
    char *bytes = p;
    size_t count = __craton_open_size(), written;
    if (size == 0 || n == 0) return 0;
    __craton_assume(count <= n);
    written = count < n ? (count + 1) * size : n * size;
    for (size_t i = 0; i < written; i++) bytes[i] = __craton_open_char();
    return count;
}
