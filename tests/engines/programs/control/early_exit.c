// expect: true
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void check(int x) {
  if (x < 0) exit(0);
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  check(x);
  if (x < 0) reach_error();
  return 0;
}
