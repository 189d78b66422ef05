// expect: false(no-overflow)
// property: no-overflow
// inputs: 2000000000, 2000000000
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int i, sum = 0;
  for (i = 0; i < 3; i++) {
    int x = __VERIFIER_nondet_int();
    if (x < 0) return 0;
    sum += x;
  }
  return sum > 0;
}
