/* In the C locale; what is not zero is what glibc's table has. */
int islower(int c) { return c >= 'a' && c <= 'z' ? 512 : 0; }
int isupper(int c) { return c >= 'A' && c <= 'Z' ? 256 : 0; }
int isalpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 1024 : 0; }
int isalnum(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? 8 : 0; }
int isxdigit(int c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? 4096 : 0; }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r') ? 8192 : 0; }
int isblank(int c) { return c == ' ' || c == '\t' ? 1 : 0; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127 ? 2 : 0; }
int isprint(int c) { return c >= 32 && c < 127 ? 16384 : 0; }
int isgraph(int c) { return c > 32 && c < 127 ? 32768 : 0; }
int ispunct(int c) {
    return c > 32 && c < 127 && !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) ? 4 : 0;
}
int isascii(int c) { return (c & ~127) == 0; }
int toascii(int c) { return c & 127; }
/* A negative char is none of their arguments: glibc's tables have the unsigned char for it. */
static int other(int c) { return c >= -128 && c < -1 ? c + 256 : c; }
int tolower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : other(c); }
int toupper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : other(c); }
