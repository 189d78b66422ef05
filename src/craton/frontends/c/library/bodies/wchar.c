size_t wcslen(const wchar_t *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}
size_t wcsnlen(const wchar_t *s, size_t n) {
    size_t count = 0;
    while (count < n && s[count]) count++;
    return count;
}
wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}
wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}
wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

/* Of comparisons only the sign is promised. */
static int order(wchar_t a, wchar_t b) {
    int distance = __craton_any_int();
    if (distance <= 0) distance = 1;
    return a == b ? 0 : a < b ? -distance : distance;
}
int wcscmp(const wchar_t *a, const wchar_t *b) {
    size_t i = 0;
    while (a[i] == b[i] && a[i]) i++;
    return order(a[i], b[i]);
}
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i] && a[i]) i++;
    return i == n ? 0 : order(a[i], b[i]);
}
wchar_t *wcschr(const wchar_t *s, wchar_t c) {
    while (*s != c && *s) s++;
    return *s == c ? (wchar_t *)s : 0;
}
wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
    const wchar_t *found = 0;
    for (;; s++) {
        if (*s == c) found = s;
        if (!*s) return (wchar_t *)found;
    }
}
wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
    return to;
}
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) {
    __builtin_memmove(to, from, n * sizeof(wchar_t));
    return to;
}
wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = c;
    return to;
}
int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return i == n ? 0 : order(a[i], b[i]);
}
wchar_t *wmemchr(const wchar_t *p, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] == c) return (wchar_t *)p + i;
    return 0;
}
