#ifndef _CRATON_UNISTD_H
#define _CRATON_UNISTD_H
#if defined(__x86_64__) && __has_include_next(<unistd.h>)
#include_next <unistd.h>
#else
#include <stddef.h>
#ifndef __ssize_t_defined
typedef __PTRDIFF_TYPE__ ssize_t;
#define __ssize_t_defined
#endif
#ifndef __off_t_defined
typedef long off_t;
#define __off_t_defined
#endif
typedef int pid_t;
typedef unsigned int uid_t, gid_t, useconds_t;
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define R_OK 4
#define W_OK 2
#define X_OK 1
#define F_OK 0
extern ssize_t read(int file, void *p, size_t n);
extern ssize_t write(int file, const void *p, size_t n);
extern int close(int file);
extern off_t lseek(int file, off_t at, int from);
extern unsigned sleep(unsigned seconds);
extern int usleep(useconds_t time);
extern pid_t getpid(void);
extern pid_t getppid(void);
extern uid_t getuid(void);
extern uid_t geteuid(void);
extern gid_t getgid(void);
extern gid_t getegid(void);
extern int unlink(const char *name);
extern int isatty(int file);
extern int access(const char *name, int mode);
extern int chdir(const char *name);
extern char *getcwd(char *p, size_t n);
extern int pipe(int ends[2]);
extern int dup(int file);
extern int dup2(int file, int other);
extern void _exit(int code) __attribute__((noreturn));
extern pid_t fork(void);
extern pid_t vfork(void);
extern int execv(const char *path, char *const arguments[]);
extern int execve(const char *path, char *const arguments[], char *const environment[]);
extern int execvp(const char *path, char *const arguments[]);
extern unsigned alarm(unsigned seconds);
extern int pause(void);
extern void swab(const void *from, void *to, ssize_t n);
#endif
#endif
