// expect: false(valid-deref)
// property: memory-safety
// inputs: 1
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *p = malloc(sizeof(int)), x;
  if (!p) return 0;
  *p = 3;
  x = __VERIFIER_nondet_int();
  if (x) free(p);
  *p = 4;
  if (!x) free(p);
  return 0;
}
