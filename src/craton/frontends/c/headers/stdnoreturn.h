#ifndef _CRATON_STDNORETURN_H
#define _CRATON_STDNORETURN_H
#define noreturn _Noreturn
#endif
