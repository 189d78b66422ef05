static int low(char c) { unsigned char u = (unsigned char)c; return u >= 'A' && u <= 'Z' ? u + 32 : u; }

char *stpcpy(char *to, const char *from) {
    size_t i = 0;
    for (; from[i]; i++) to[i] = from[i];
    to[i] = 0;
    return to + i;
}

char *stpncpy(char *to, const char *from, size_t n) {
    size_t i = 0, end;
    for (; i < n && from[i]; i++) to[i] = from[i];
    end = i;
    for (; i < n; i++) to[i] = 0;
    return to + end;
}

size_t strlcpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; from[i]; i++)
        if (i + 1 < n) to[i] = from[i];
    if (n) to[i < n ? i : n - 1] = 0;
    return i;
}

size_t strlcat(char *to, const char *from, size_t n) {
    size_t old = 0, i = 0;
    while (old < n && to[old]) old++;
    for (; from[i]; i++)
        if (old + i + 1 < n) to[old + i] = from[i];
    if (old < n) to[old + i < n ? old + i : n - 1] = 0;
    return old + i;
}

void *memccpy(void *to, const void *from, int c, size_t n) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < n; i++) {
        t[i] = f[i];
        if (f[i] == (unsigned char)c) return t + i + 1;
    }
    return 0;
}

void *memrchr(const void *text, int c, size_t n) {
    const unsigned char *t = text;
    while (n) {
        n--;
        if (t[n] == (unsigned char)c) return (void *)(t + n);
    }
    return 0;
}

void *rawmemchr(const void *text, int c) {
    const unsigned char *t = text;
    while (*t != (unsigned char)c) t++;
    return (void *)t;
}

char *strchrnul(const char *text, int c) {
    while (*text && *text != (char)c) text++;
    return (char *)text;
}

void *memmem(const void *text, size_t n, const void *part, size_t m) {
    const char *t = text, *p = part;
    if (m == 0) return (void *)t;
    for (size_t i = 0; i < n && m <= n - i; i++) {
        size_t j = 0;
        while (j < m && t[i + j] == p[j]) j++;
        if (j == m) return (void *)(t + i);
    }
    return 0;
}

char *strstr(const char *text, const char *part) {
    for (;; text++) {
        size_t j = 0;
        while (part[j] && text[j] == part[j]) j++;
        if (!part[j]) return (char *)text;
        if (!*text) return 0;
    }
}

char *strcasestr(const char *text, const char *part) {
    for (;; text++) {
        size_t j = 0;
        while (part[j] && low(text[j]) == low(part[j])) j++;
        if (!part[j]) return (char *)text;
        if (!*text) return 0;
    }
}

static int among(char c, const char *set) {
    for (; *set; set++)
        if (*set == c) return 1;
    return 0;
}

size_t strspn(const char *text, const char *set) {
    size_t i = 0;
    while (text[i] && among(text[i], set)) i++;
    return i;
}

size_t strcspn(const char *text, const char *set) {
    size_t i = 0;
    while (text[i] && !among(text[i], set)) i++;
    return i;
}

char *strpbrk(const char *text, const char *set) {
    for (; *text; text++)
        if (among(*text, set)) return (char *)text;
    return 0;
}

char *strsep(char **from, const char *set) {
    char *begin = *from, *end = begin;
    if (!begin) return 0;
    while (*end && !among(*end, set)) end++;
    if (*end) {
        *end = 0;
        *from = end + 1;
    } else {
        *from = 0;
    }
    return begin;
}

char *strtok_r(char *text, const char *set, char **state) {
    char *end;
    if (!text) text = *state;
    while (*text && among(*text, set)) text++;
    if (!*text) {
        *state = text;
        return 0;
    }
    end = text;
    while (*end && !among(*end, set)) end++;
    if (*end) {
        *end = 0;
        end++;
    }
    *state = end;
    return text;
}

static char *strtok_state;

char *strtok(char *text, const char *set) {
    if (!text && !strtok_state) {
        __craton_unmodelled("strtok that goes on with a text that was never given");
        return 0;
    }
    return strtok_r(text, set, &strtok_state);
}

/* C promises the sign only. */
static int some_difference(int a, int b) {
    int result = __craton_any_int();
    if (a < b) return result < 0 ? result : -1;
    return result > 0 ? result : 1;
}

int strcasecmp(const char *a, const char *b) {
    for (;; a++, b++) {
        if (low(*a) != low(*b)) return some_difference(low(*a), low(*b));
        if (!*a) return 0;
    }
}

int strncasecmp(const char *a, const char *b, size_t n) {
    for (; n; a++, b++, n--) {
        if (low(*a) != low(*b)) return some_difference(low(*a), low(*b));
        if (!*a) return 0;
    }
    return 0;
}

int strcoll(const char *a, const char *b) {
    for (;; a++, b++) {
        if (*a != *b) return some_difference((unsigned char)*a, (unsigned char)*b);
        if (!*a) return 0;
    }
}

size_t strxfrm(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; from[i]; i++)
        if (i < n) to[i] = from[i];
    if (i < n) to[i] = 0;
    else if (n) __craton_scramble(to, n); /* C says nothing of what is there then */
    return i;
}

void bzero(void *to, size_t n) {
    unsigned char *t = to;
    for (size_t i = 0; i < n; i++) t[i] = 0;
}

void explicit_bzero(void *to, size_t n) {
    unsigned char *t = to;
    for (size_t i = 0; i < n; i++) t[i] = 0;
}

void bcopy(const void *from, void *to, size_t n) {
    __builtin_memmove(to, from, n);
}

void *mempcpy(void *to, const void *from, size_t n) {
    __builtin_memcpy(to, from, n);
    return (char *)to + n;
}

void swab(const void *from, void *to, ssize_t n) {
    const char *f = from;
    char *t = to;
    for (ssize_t i = 0; i + 1 < n; i += 2) {
        char first = f[i], second = f[i + 1];
        t[i] = second;
        t[i + 1] = first;
    }
}

char *strndup(const char *text, size_t n) {
    size_t length = 0;
    char *copy;
    while (length < n && text[length]) length++;
    copy = __builtin_malloc(length + 1);
    if (!copy) return 0;
    for (size_t i = 0; i < length; i++) copy[i] = text[i];
    copy[length] = 0;
    return copy;
}
