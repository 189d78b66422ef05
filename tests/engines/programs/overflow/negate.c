// expect: false(no-overflow)
// property: no-overflow
// inputs: -2147483648
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x < 0 ? -x : x;
  return y > 0;
}
