char *fgets(char *s, int n, FILE *f) {
    size_t count = __craton_open_size();
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
    if (size == 0 || n == 0) return 0;
    __craton_assume(count <= n);
    written = count < n ? (count + 1) * size : n * size;
    for (size_t i = 0; i < written; i++) bytes[i] = __craton_input_char();
    return count;
}

/* glibc begins with 120 bytes, even where there is nothing to read. */
ssize_t getdelim(char **line, size_t *n, int delimiter, FILE *f) {
    size_t count = __craton_open_size();
    if (!line || !n) {
        errno = __CRATON_EINVAL;
        return -1;
    }
    if (!*line || !*n) {
        *line = __builtin_realloc(*line, 120);
        *n = 120;
    }
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
