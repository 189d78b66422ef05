// expect: false(no-overflow)
// property: no-overflow
// inputs: 2147483647
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 0) x = x + 1;
  return x > 0;
}
