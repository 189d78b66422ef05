// expect: false(no-overflow)
// property: no-overflow
// inputs: 46341
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 50000) return 0;
  return x * x > 0;
}
