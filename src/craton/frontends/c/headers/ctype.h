#ifndef _CRATON_CTYPE_H
#define _CRATON_CTYPE_H
extern int isalnum(int), isalpha(int), isblank(int), iscntrl(int), isdigit(int), isgraph(int), islower(int);
extern int isprint(int), ispunct(int), isspace(int), isupper(int), isxdigit(int), tolower(int), toupper(int);
#endif
