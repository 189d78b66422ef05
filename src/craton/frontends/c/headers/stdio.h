#ifndef _CRATON_STDIO_H
#define _CRATON_STDIO_H
#include <craton_features.h>
#include <stdarg.h>
#include <stddef.h>
#ifndef __ssize_t_defined
typedef __PTRDIFF_TYPE__ ssize_t;
#define __ssize_t_defined
#endif
#ifndef __off_t_defined
typedef long off_t;
#define __off_t_defined
#endif
typedef struct _IO_FILE FILE;
typedef struct { long _position; long _state; } fpos_t;
extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
extern int getchar(void);
extern int getc(FILE *f);
extern int fgetc(FILE *f);
extern int getchar_unlocked(void);
extern int getc_unlocked(FILE *f);
extern int ungetc(int c, FILE *f);
extern int putchar(int c);
extern int putc(int c, FILE *f);
extern int fputc(int c, FILE *f);
extern int puts(const char *s);
extern int fputs(const char *s, FILE *f);
extern int printf(const char *format, ...);
extern int fprintf(FILE *f, const char *format, ...);
extern int dprintf(int file, const char *format, ...);
extern int sprintf(char *s, const char *format, ...);
extern int snprintf(char *s, size_t n, const char *format, ...);
extern int vprintf(const char *format, va_list arguments);
extern int vfprintf(FILE *f, const char *format, va_list arguments);
extern int vdprintf(int file, const char *format, va_list arguments);
extern int vsprintf(char *s, const char *format, va_list arguments);
extern int vsnprintf(char *s, size_t n, const char *format, va_list arguments);
extern int asprintf(char **s, const char *format, ...);
extern int vasprintf(char **s, const char *format, va_list arguments);
extern int scanf(const char *format, ...);
extern int fscanf(FILE *f, const char *format, ...);
extern int sscanf(const char *s, const char *format, ...);
extern int vscanf(const char *format, va_list arguments);
extern int vfscanf(FILE *f, const char *format, va_list arguments);
extern int vsscanf(const char *s, const char *format, va_list arguments);
extern char *fgets(char *s, int n, FILE *f);
extern char *gets(char *s);
extern size_t fread(void *p, size_t size, size_t n, FILE *f);
extern size_t fwrite(const void *p, size_t size, size_t n, FILE *f);
extern ssize_t getline(char **line, size_t *n, FILE *f);
extern ssize_t getdelim(char **line, size_t *n, int delimiter, FILE *f);
extern FILE *fopen(const char *name, const char *mode);
extern FILE *freopen(const char *name, const char *mode, FILE *f);
extern FILE *fdopen(int file, const char *mode);
extern FILE *tmpfile(void);
extern FILE *popen(const char *command, const char *mode);
extern int pclose(FILE *f);
extern int fclose(FILE *f);
extern int fflush(FILE *f);
extern int feof(FILE *f);
extern int ferror(FILE *f);
extern void clearerr(FILE *f);
extern int fileno(FILE *f);
extern int fseek(FILE *f, long at, int from);
extern long ftell(FILE *f);
extern void rewind(FILE *f);
extern int setvbuf(FILE *f, char *buffer, int mode, size_t n);
extern void setbuf(FILE *f, char *buffer);
extern int remove(const char *name);
extern int rename(const char *from, const char *to);
extern void perror(const char *s);
extern int fgetpos(FILE *, fpos_t *);
extern int fsetpos(FILE *, const fpos_t *);
extern int fseeko(FILE *, off_t, int);
extern off_t ftello(FILE *);
extern char *tmpnam(char *);
extern int putchar_unlocked(int);
extern int putc_unlocked(int, FILE *);
#endif
