// expect: true
// property: no-overflow
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 1000 && x > -1000) x = x * 3 + 1;
  return x > 0;
}
