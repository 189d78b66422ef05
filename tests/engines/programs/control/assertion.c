// expect: false(unreach-call)
// inputs: 2, 3
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);

int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 1 && x < 10 && y > 1 && y < 10);
  assert(x * y != 6);
  return 0;
}
