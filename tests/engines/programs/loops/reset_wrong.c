// expect: false(unreach-call)
// inputs: 1, 1, 1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

// One step too many: 3 is reached before the reset.
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) {
    x = x + 1;
    if (x > 3) x = 0;
    if (x == 3) reach_error();
  }
  return 0;
}
