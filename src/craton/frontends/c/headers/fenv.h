#ifndef _CRATON_FENV_H
#define _CRATON_FENV_H
#include <craton_features.h>
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
extern int fegetround(void);
extern int fesetround(int);
#endif
