// expect: true
// property: memory-safety
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  int a[4] = {0, 1, 2, 3};
  unsigned i = __VERIFIER_nondet_uint();
  return a[i % 4];
}
