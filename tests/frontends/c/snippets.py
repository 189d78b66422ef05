"""Small pieces of C, one per rule of the language, whose results gcc knows.

Each piece is the body of a function that returns an unsigned long long; all are compiled into one program. A line
`---` separates declarations of file scope from the body. `@n` becomes the piece's number, to keep names apart.
"""

SNIPPETS: dict[str, str] = {
    "promotion of char": "unsigned char a = 200, b = 100; return (a + b) >> 1;",
    "char is signed": "char c = 200; return c;",
    "unsigned wins": "int a = -1; unsigned b = 1; return a > b;",
    "long and unsigned int": "long a = -1; unsigned b = 1; return a > b;",
    "short multiplication": "unsigned short a = 65535; return (unsigned)(a * a);",
    "signed wrap-around": "int x = 2147483647; x++; return x;",
    "negative division": "int a = -7, b = 2; return a / b * 100 + a % b;",
    "shift right keeps sign": "int a = -16; return a >> 2;",
    "shift by long long": "int a = 1; long long b = 5; return a << b;",
    "compound shift of char": "signed char c = -100; c >>= 2; return c;",
    "compound assignment converts": "char c = 100; c += 100; return c;",
    "compound assignment with float": "int i = 7; i *= 1.5f; return i;",
    "bool from pointer and float": "double d = 0.25; int x; _Bool a = d, b = &x; return a * 10 + b;",
    "bool arithmetic": "_Bool b = 0; b++; b += 5; return b + !b;",
    "bool cast from 256": "return (_Bool)256;",
    "enum constants": "enum E@n { A@n = 5, B@n, C@n = -3 };\n---\nenum E@n e = B@n; return e * 10 + C@n;",
    "comma": "int x = 1; int y = (x++, x + 5); return y;",
    "short circuit stops": "int x = 0, y = 0; if (x && (y = 5)) y = 7; x || (y += 3); return y;",
    "nested conditional": "int x = 5; return x > 3 ? x > 4 ? 1 : 2 : 3;",
    "conditional with effects": "int x = 5, y = 0; int z = x > 3 ? y++, 7 : (y = 9); return z * 10 + y;",
    "elvis": "int x = 0, n = 3; int a = n++ ?: 9; int b = x ?: 7; return a * 100 + b * 10 + n;",
    "post and pre steps": "int i = 3; int a = i++; int b = ++i; int c = i--; return a * 1000 + b * 100 + c * 10 + i;",
    "pointer steps": "int a[4] = {1, 2, 3, 4}; int *p = a; int x = *p++; int y = *++p; return x * 10 + y + (p - a) * 100;",
    "write through stepping pointer": "char b[4]; char *p = b; *p++ = 1; *p++ = 2; *p = 3; return b[0] + b[1] * 10 + b[2] * 100;",
    "pointer comparison": "int a[3]; return (&a[2] > &a[0]) + (a == &a[0]) * 2 + (&a[1] != a + 1) * 4;",
    "index from the left": "int a[3] = {4, 5, 6}; return 2[a];",
    "two dimensions": "int a[3][4]; for (int i = 0; i < 12; i++) (&a[0][0])[i] = i; return a[2][1] * 10 + a[1][3];",
    "pointer to row": "int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*p)[3] = a; p++; return (*p)[1];",
    "struct copy": "struct S@n { int a; char b; };\n---\nstruct S@n x = {1, 2}, y; y = x; y.a = 5; return x.a * 100 + y.a * 10 + y.b;",
    "struct swap through itself": "struct S@n { int a, b; };\n---\nstruct S@n x = {1, 2}; x = (struct S@n){x.b, x.a}; return x.a * 10 + x.b;",
    "struct by value": "struct S@n { int a; double d; };\nstatic struct S@n f@n(struct S@n s, int k) { s.a += k; s.d *= 2; return s; }\n---\nstruct S@n x = {3, 1.5}; struct S@n y = f@n(x, 4); return x.a * 100 + y.a * 10 + (int)y.d;",
    "member of a call": "struct S@n { int a[3]; };\nstatic struct S@n f@n(void) { struct S@n s = {{7, 8, 9}}; return s; }\n---\nreturn f@n().a[1];",
    "array inside struct": "struct S@n { int n; int a[3]; };\n---\nstruct S@n x = {3, {1, 2, 3}}, y = x; y.a[1] = 9; return x.a[1] * 10 + y.a[1];",
    "anonymous members": "struct S@n { int a; struct { int b; union { int c; unsigned char d; }; }; };\n---\nstruct S@n s = {1, {2, {0x305}}}; s.b++; return s.a * 10000 + s.b * 1000 + s.d * 10 + (s.c == 0x305);",
    "union reinterprets": "union U@n { float f; unsigned u; };\n---\nunion U@n x; x.f = 1.5f; return x.u;",
    "union of struct and double": "union U@n { double d; struct { unsigned lo, hi; } w; };\n---\nunion U@n x; x.d = -2.5; x.w.hi ^= 0x80000000u; return x.d == 2.5 ? x.w.hi : 0;",
    "union in memory": "union U@n { long long l; char c[8]; };\n---\nunion U@n x, *p = &x; p->l = 0x0102030405060708; return p->c[1] * 16 + x.c[7];",
    "bit-fields": "struct B@n { unsigned a : 3; int b : 5; unsigned c : 10; };\n---\nstruct B@n x = {9, 15, 1023}; x.b++; x.c += 2; return x.a * 10000 + (x.b + 100) * 100 + x.c;",
    "bit-field beside char": "struct B@n { char c; int b : 12; unsigned d : 4; short s; };\n---\nstruct B@n x = {1, -5, 9, 77}, *p = &x; p->b *= 3; return x.c + (x.b + 1000) * 100 + x.d * 7 + x.s;",
    "zero-width bit-field": "struct B@n { unsigned a : 3; unsigned : 0; unsigned b : 2; };\n---\nstruct B@n x = {5, 3}; return sizeof x * 100 + x.a * 10 + x.b;",
    "packed struct": "struct __attribute__((packed)) P@n { char c; int i; short s; };\n---\nstruct P@n x = {1, 0x12345678, 3}; char *p = (char *)&x; return sizeof x * 1000 + p[1];",
    "designators": "struct D@n { int a, b[4], c; };\n---\nstruct D@n x = {.c = 5, .b[1] = 2, 3, .a = 9}; return x.a * 1000 + x.b[1] * 100 + x.b[2] * 10 + x.c;",
    "designated range": "int a[8] = {[1 ... 3] = 5, [6] = 1}; int s = 0; for (int i = 0; i < 8; i++) s = s * 3 + a[i]; return s;",
    "elided braces": "struct E@n { int a[2]; struct { int x, y; } p; };\n---\nstruct E@n v[2] = {1, 2, 3, 4, 5, {6}, }; return v[0].p.y * 100 + v[1].a[0] * 10 + v[1].p.x;",
    "strings initialise arrays": "char a[] = \"ab\\0c\", b[5] = \"xy\"; return sizeof a * 1000 + a[3] * 10 + b[4] + b[1];",
    "string literals": "const char *s = \"a\" \"bc\\x41\\101\"; return s[3] * 1000 + s[4];",
    "wide string": "const __WCHAR_TYPE__ *w = L\"a\\u00e9z\"; return w[1] * 1000 + w[2];",
    "function name": "return __func__[0] == 'p' && sizeof(__func__) > 2;",
    "flexible array": "struct F@n { int n; int a[]; };\n---\nstruct F@n *p = malloc(sizeof *p + 3 * sizeof(int)); p->n = 3; for (int i = 0; i < 3; i++) p->a[i] = i * i; return p->a[2] * 10 + p->n;",
    "linked list": "struct N@n { int v; struct N@n *next; };\n---\nstruct N@n *h = 0; for (int i = 0; i < 5; i++) { struct N@n *n = malloc(sizeof *n); n->v = i; n->next = h; h = n; } int s = 0; while (h) { s = s * 7 + h->v; h = h->next; } return s;",
    "container of": "struct L@n { struct L@n *next; }; struct C@n { int k; struct L@n link; };\n---\nstruct C@n c = {42, {0}}; struct L@n *l = &c.link; return ((struct C@n *)((char *)l - __builtin_offsetof(struct C@n, link)))->k;",
    "first member": "struct A@n { int t; }; struct B@n { struct A@n base; int x; };\n---\nstruct B@n b = {{3}, 4}; struct A@n *a = (struct A@n *)&b; return a->t * 10 + ((struct B@n *)a)->x;",
    "bytes of an int": "int x = 0x01020304; unsigned char *p = (unsigned char *)&x; p[1] = 9; return x;",
    "int through char buffer": "char b[8] = {0}; *(int *)(b + 2) = 0x11223344; return b[3] * 256 + b[5];",
    "pointer through integer": "int x = 5; unsigned long p = (unsigned long)&x; p += 0; *(int *)p = 6; return x;",
    "pointer to pointer": "int x = 1, y = 2, *p = &x, **q = &p; *q = &y; **q = 9; return x * 10 + y;",
    "function pointers": "static int a@n(int x) { return x + 1; } static int b@n(int x) { return x * 2; }\nstatic int (*t@n[2])(int) = {a@n, b@n};\n---\nint (*f)(int) = t@n[1]; int s = f(5); f = &a@n; return s * 10 + (*f)(3);",
    "function pointer in struct": "struct O@n { int (*op)(int, int); };\nstatic int s@n(int a, int b) { return a - b; }\n---\nstruct O@n o = {.op = s@n}; struct O@n *p = &o; return p->op(9, 4);",
    "recursion": "static int f@n(int n) { return n < 2 ? n : f@n(n - 1) + f@n(n - 2); }\n---\nreturn f@n(12);",
    "recursion with local array": "static int f@n(int n) { int a[3] = {n, n + 1, n + 2}; int r = n ? f@n(n - 1) : 0; return a[0] + a[2] * 10 + r; }\n---\nreturn f@n(5);",
    "recursion with address of local": "static int f@n(int n, int *up) { int x = n * 10; if (up) *up += n; if (n) f@n(n - 1, &x); return x; }\n---\nreturn f@n(4, 0);",
    "mutual recursion": "static int odd@n(int n);\nstatic int even@n(int n) { return n ? odd@n(n - 1) : 1; }\nstatic int odd@n(int n) { return n ? even@n(n - 1) : 0; }\n---\nreturn even@n(10) * 10 + odd@n(7);",
    "static locals": "static int f@n(void) { static int n = 5; return n++; }\n---\nf@n(); f@n(); return f@n();",
    "varargs": "static int f@n(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); int s = 0; while (n--) s = s * 3 + __builtin_va_arg(a, int); __builtin_va_end(a); return s; }\n---\nreturn f@n(3, 1, (short)2, 'c');",
    "varargs of many types": "static double f@n(const char *t, ...) { __builtin_va_list a, b; __builtin_va_start(a, t); __builtin_va_copy(b, a); double s = 0; for (; *t; t++) s = s * 2 + (*t == 'i' ? __builtin_va_arg(b, int) : *t == 'l' ? __builtin_va_arg(b, long long) : __builtin_va_arg(b, double)); return s; }\n---\nreturn f@n(\"idl\", 3, 2.5, 1ll << 40);",
    "old-style definition": "static int f@n(a, b) int a; char b; { return a * 10 + b; }\n---\nreturn f@n(4, 3);",
    "goto backwards": "int i = 0, s = 0; again: s += i; if (++i < 5) goto again; return s;",
    "goto into a loop": "int i = 3, s = 0; goto in; while (i < 10) { s += 100; in: s += i; i += 3; } return s;",
    "computed goto": "static void *t[3]; t[0] = &&a; t[1] = &&b; t[2] = &&c; int i = 1, s = 0; goto *t[i]; a: s += 1; return s; b: s += 10; goto *t[0]; c: s += 100; return s;",
    "switch falls through": "int s = 0; for (int i = 0; i < 6; i++) switch (i) { case 1: s += 1; case 2: s += 10; break; default: s += 100; case 4: s += 1000; } return s;",
    "switch with ranges": "int s = 0; for (int i = -2; i < 8; i++) switch (i) { case -1 ... 2: s++; break; case 5 ... 6: s += 10; } return s;",
    "switch into a loop (Duff)": "int n = 7, s = 0; switch (n % 4) { case 0: do { s++; case 3: s += 10; case 2: s += 100; case 1: s += 1000; } while ((n -= 4) > 0); } return s;",
    "switch on long long": "unsigned long long x = 0x100000001ull; switch (x) { case 1: return 1; case 0x100000001ull: return 2; } return 3;",
    "continue in do": "int i = 0, s = 0; do { if (i == 2) continue; s += i; } while (++i < 5); return s;",
    "for without parts": "int i = 0; for (;;) { if (i++ > 4) break; } for (; i < 9;) i += 2; return i;",
    "statement expression": "int x = 3; int y = ({ int t = x * 2; if (t > 5) t++; t; }); return y;",
    "typeof": "int x = 5; __typeof__(x) y = 7; __typeof__(x + 1.0) z = y / 2.0; return (int)(z * 10);",
    "sizeof": "int a[5]; char *p = 0; return sizeof a + sizeof *p + sizeof(long double) * 100 + sizeof(long) * 10000;",
    "sizeof does not evaluate": "int i = 1; int s = sizeof(i++); return i * 10 + s;",
    "alignof and offsetof": "struct S@n { char c; long long l; };\n---\nreturn _Alignof(struct S@n) * 100 + __builtin_offsetof(struct S@n, l);",
    "variable-length array": "int n = 4; int a[n]; for (int i = 0; i < n; i++) a[i] = i * i; n = 9; return a[3] * 100 + sizeof a;",
    "two variable dimensions": "int n = 2, m = 3; int a[n][m]; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 10 + j; return a[1][2] * 100 + sizeof a[0];",
    "variable-length parameter": "static int f@n(int n, int m, int a[n][m]) { return a[1][2] + sizeof a[0]; }\n---\nint a[2][3] = {{1, 2, 3}, {4, 5, 6}}; return f@n(2, 3, a);",
    "compound literal": "int *p = (int[]){3, 4, 5}; p[1]++; return p[0] * 100 + p[1] * 10 + p[2];",
    "alloca": "int *p = __builtin_alloca(3 * sizeof(int)); p[2] = 7; return p[2];",
    "calloc": "struct S@n { int a; char *p; };\n---\nstruct S@n *s = calloc(4, sizeof *s); s[2].a = 5; return s[2].a * 10 + (s[3].p == 0) + s[1].a;",
    "realloc": "int *p = malloc(2 * sizeof(int)); p[0] = 4; p[1] = 5; p = realloc(p, 4 * sizeof(int)); p[3] = 6; return p[0] * 100 + p[1] * 10 + p[3];",
    "memset ints": "int a[4] = {1, 2, 3, 4}; memset(a, 0xff, 2 * sizeof(int)); return a[1] + a[2] + 100;",
    "memset part": "int a[2] = {0x01020304, 5}; memset(a, 7, 3); return a[0];",
    "memcpy structs": "struct S@n { int a; short b; };\n---\nstruct S@n x[3] = {{1, 2}, {3, 4}, {5, 6}}, y[3]; memcpy(y, x, sizeof x); return y[2].a * 10 + y[1].b;",
    "memcpy bits of a double": "double d = 1.5; unsigned long long u; memcpy(&u, &d, sizeof u); return u;",
    "memmove overlapping": "char b[10] = \"abcdefgh\"; memmove(b + 2, b, 6); memmove(b, b + 1, 4); return b[0] * 10000 + b[3] * 100 + b[7];",
    "memmove long overlapping": "int a[300]; for (int i = 0; i < 300; i++) a[i] = i; memmove(a + 1, a, 299 * sizeof(int)); memmove(a, a + 5, 200 * sizeof(int)); return a[0] * 1000 + a[250];",
    "memcmp": "char a[4] = {1, 2, -3, 4}, b[4] = {1, 2, 3, 4}; return (memcmp(a, b, 4) > 0) + 2 * (memcmp(a, b, 2) == 0);",
    "strlen and strcpy": "char b[20]; strcpy(b, \"hello\"); strcat(b, \" you\"); return strlen(b) * 1000 + b[6];",
    "strncpy pads": "char b[8] = \"zzzzzzz\"; strncpy(b, \"ab\", 5); return b[1] * 100 + b[4] * 10 + b[5];",
    "strcmp and strncmp": "return (strcmp(\"abc\", \"abd\") < 0) + 2 * (strcmp(\"b\", \"abc\") > 0) + 4 * (strncmp(\"abX\", \"abY\", 2) == 0) + 8 * (strcmp(\"\", \"\") == 0);",
    "strchr and strrchr": "const char *s = \"hello\"; return (strchr(s, 'l') - s) * 100 + (strrchr(s, 'l') - s) * 10 + (strchr(s, 'x') == 0);",
    "float arithmetic": "float a = 0.1f, b = 0.2f; return (a + b == 0.3f) * 10 + (0.1 + 0.2 == 0.3);",
    "float division and rounding": "float x = 1.0f / 3.0f; double y = 1.0 / 3.0; return (x == (float)y) + 2 * (x == y);",
    "double to integers": "double d = -3.99; return (int)d * 10 + (unsigned char)200.5 + (long long)1e15;",
    "unsigned long long to float": "unsigned long long u = 0xffffffffffffffffull; float f = u; double d = u; return (f == 18446744073709551616.0f) + 2 * (d == 18446744073709551616.0);",
    "large double to unsigned long long": "double d = 1e19; return (unsigned long long)d;",
    "infinity and NaN": "double z = 0.0, i = 1 / z, n = i - i; return (i > 1e308) + 2 * (n != n) + 4 * !(n < 1) + 8 * (-i < 0) + 16 * (n ? 1 : 0);",
    "signed zero": "double z = -0.0; return (z == 0.0) + 2 * (1 / z < 0);",
    "denormals": "float f = 1e-40f; return (f > 0) + 2 * (f / 2 > 0) + 4 * (f * f == 0);",
    "long double": "long double a = 1.0L / 3, b = 1.0 / 3.0; return (a == b) + 2 * (a * 3 == 1.0L) + 4 * ((double)a == 1.0 / 3.0);",
    "long double in memory": "long double a[2] = {1.5L, -2.25L}, *p = a; p++; *p *= 2; return (unsigned long long)(a[0] * 10 - a[1] * 100);",
    "long double has 64 bits": "long double x = 9223372036854775807LL; x += 1; x += 1; return x == 9223372036854775809.0L;",
    "floor, ceil, round": "return floor(-1.5) * -1000 + ceil(1.2) * 100 + round(2.5) * 10 + trunc(-3.7) * -1;",
    "fmod and remainder": "return fmod(7.5, 2.0) * 1000 + fmod(-7.5, 2.0) * -100 + fmod(5.25, 0.5) * 10;",
    "sqrt and fabs": "return sqrt(2.0) * 1e9 + fabs(-3.5) * 10;",
    "isnan and friends": "double n = __builtin_nan(\"\"); return __builtin_isnan(n) + 2 * !!__builtin_isinf(1e308 * 10) + 4 * !!__builtin_signbit(-0.0);",
    "fmin and fmax": "return fmin(1.0, __builtin_nan(\"\")) * 10 + fmax(-2.0, 3.0);",
    "builtin bits": "return __builtin_popcount(0xf0f0u) * 1000000 + __builtin_clz(1u << 20) * 1000 + __builtin_ctzll(1ull << 37) + __builtin_ffs(8) + __builtin_parity(7u);",
    "builtin bswap": "return __builtin_bswap32(0x01020304u) + __builtin_bswap64(0xffull) + __builtin_bswap16(0x1234);",
    "builtin overflow": "int r; unsigned char c; int a = __builtin_add_overflow(2147483647, 1, &r); int b = __builtin_mul_overflow(20, 20, &c); return a * 10000 + b * 1000 + c + (r < 0);",
    "builtin expect": "int x = 3; if (__builtin_expect(x > 2, 0)) return 7; return 8;",
    "128 bits": "#if __SIZEOF_POINTER__ == 8\nunsigned __int128 a = (unsigned __int128)0xffffffffffffffffull * 0xfffffffful; return (unsigned long long)(a >> 64) + (unsigned long long)(a % 1000007);\n#else\nreturn 0;\n#endif",
    "_Generic": "int x = 0; return _Generic(x, int: 1, double: 2.0, default: \"\");",
    "asm with inputs only": "int x = 3; __asm__ volatile(\"\" : : \"r\"(x)); return x;",
    "block scopes": "int x = 1; { int x = 2; x++; { int x = 9; x++; } } return x;",
    "static shadows global": "int g@n = 5;\n---\nint r = g@n; { static int g@n = 7; r = r * 10 + g@n; } { extern int g@n; r = r * 10 + g@n; } return r;",
    "tentative definitions": "extern int t@n; int t@n; int t@n = 4; extern int t@n;\n---\nreturn t@n;",
    "global addresses": "int a@n[3] = {1, 2, 3}; int *p@n = &a@n[1]; int **q@n = &p@n;\n---\n(*q@n)++; return **q@n;",
    "const table": "static const struct { char k; int v; } t@n[] = {{'a', 1}, {'b', 22}, {'c', 333}};\n---\nint s = 0; for (unsigned i = 0; i < sizeof t@n / sizeof t@n[0]; i++) if (t@n[i].k != 'b') s += t@n[i].v; return s;",
    "volatile": "volatile int x = 3; x += 2; return x;",
    "assignment as value": "int a, b, c; a = b = c = 5; char d; int e = (d = 300); return a + b + c + e;",
    "assignment in condition": "int n = 0, x; while ((x = n * n) < 50) n++; return x;",
    "struct assignment as value": "struct S@n { int a, b; };\n---\nstruct S@n x, y, z = {1, 2}; x = y = z; return (x = z).b * 10 + x.a;",
    "conditional struct": "struct S@n { int a, b; };\n---\nstruct S@n x = {1, 2}, y = {3, 4}; int c = 1; return (c ? x : y).b * 10 + (c > 5 ? x : y).a;",
    "pointer difference of structs": "struct S@n { char c[12]; };\n---\nstruct S@n a[5]; return &a[4] - &a[1];",
    "array of struct pointers": "struct S@n { int v; };\n---\nstruct S@n a = {1}, b = {2}, *t[2] = {&a, &b}; t[0]->v += t[1]->v; return a.v;",
    "large shift constant": "unsigned x = 1; return x << 31 >> 31;",
    "hex float": "return (unsigned long long)(0x1.8p3 * 100);",
    "octal and char constants": "return 0755 + '\\n' * 1000 + '\\377' + 0b101;",
    "integer constant types": "return (2147483648 > -1) + 2 * (0x80000000 > -1) + 4 * (4294967295u + 1 == 0);",
}

PRELUDE = """
extern void *malloc(__SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__), *realloc(void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memmove(void *, const void *, __SIZE_TYPE__);
extern int memcmp(const void *, const void *, __SIZE_TYPE__), strcmp(const char *, const char *);
extern int strncmp(const char *, const char *, __SIZE_TYPE__);
extern __SIZE_TYPE__ strlen(const char *);
extern char *strcpy(char *, const char *), *strcat(char *, const char *), *strncpy(char *, const char *, __SIZE_TYPE__);
extern char *strchr(const char *, int), *strrchr(const char *, int);
extern double floor(double), ceil(double), round(double), trunc(double), fmod(double, double), sqrt(double);
extern double fabs(double), fmin(double, double), fmax(double, double);
"""


def program() -> str:
    """All pieces as one program that leaves their results in `results`."""
    parts = [PRELUDE, f"unsigned long long results[{len(SNIPPETS)}];"]
    for number, text in enumerate(SNIPPETS.values()):
        declarations, separator, body = text.replace("@n", f"_{number}").partition("\n---\n")
        if not separator:
            declarations, body = "", text.replace("@n", f"_{number}")
        parts.append(f"{declarations}\nstatic unsigned long long piece_{number}(void) {{\n{body}\n}}")
    calls = "\n".join(f"    results[{i}] = piece_{i}();" for i in range(len(SNIPPETS)))
    parts.append(f"static void everything(void) {{\n{calls}\n}}")
    return "\n".join(parts)
