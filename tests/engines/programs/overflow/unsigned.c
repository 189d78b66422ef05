// expect: true
// property: no-overflow
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  x = x + 1;
  x = x * 3;
  return x > 5;
}
