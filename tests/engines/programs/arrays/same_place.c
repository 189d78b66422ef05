// expect: false(unreach-call)
// inputs: 2, 2
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  int a[4];
  unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
  if (i >= 4 || j >= 4) return 0;
  a[i] = 1;
  a[j] = 2;
  if (a[i] != 1) reach_error();
  return 0;
}
