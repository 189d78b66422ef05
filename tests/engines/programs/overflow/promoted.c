// expect: true
// property: no-overflow
extern short __VERIFIER_nondet_short(void);

int main(void) {
  short a = __VERIFIER_nondet_short(), b = __VERIFIER_nondet_short();
  int sum = a + b;
  int difference = a - b;
  return sum > difference;
}
