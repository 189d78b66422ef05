#ifndef _CRATON_MALLOC_H
#define _CRATON_MALLOC_H
#include <stdlib.h>
extern void *memalign(size_t alignment, size_t n);
#endif
