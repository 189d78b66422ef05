// expect: false(valid-deref)
// property: memory-safety
// inputs: 4
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  int a[4] = {0, 1, 2, 3};
  unsigned i = __VERIFIER_nondet_uint();
  if (i > 4) return 0;
  return a[i];
}
