// expect: false(unreach-call)
// inputs: 4, 3
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int a[1000];
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint(), i;
  if (n > 1000 || j >= n) return 0;
  for (i = 0; i < n; i++) a[i] = i;
  if (a[j] == 3) reach_error();
  return 0;
}
