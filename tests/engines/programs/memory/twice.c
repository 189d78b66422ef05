// expect: false(valid-free)
// property: memory-safety
// inputs: 5
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  char *p = malloc(4);
  if (!p) return 0;
  if (__VERIFIER_nondet_int() == 5) free(p);
  free(p);
  return 0;
}
