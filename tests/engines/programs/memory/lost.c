// expect: false(valid-memtrack)
// property: memory-safety
// inputs: 1
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(4);
  if (!p) return 0;
  if (__VERIFIER_nondet_int()) p = 0;
  free(p);
  return 0;
}
