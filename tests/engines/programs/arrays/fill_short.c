// expect: false(unreach-call)
// inputs: 3
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  int a[4] = {0, 0, 0, 0}, i;
  unsigned k = __VERIFIER_nondet_uint();
  for (i = 0; i < 3; i++) a[i] = i;
  if (k >= 4) return 0;
  if (a[k] != (int)k) reach_error();
  return 0;
}
