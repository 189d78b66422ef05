// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a[3], i, m;
  for (i = 0; i < 3; i++) a[i] = __VERIFIER_nondet_int();
  m = a[0];
  for (i = 1; i < 3; i++)
    if (a[i] > m) m = a[i];
  if (m < a[0] || m < a[1] || m < a[2]) reach_error();
  return 0;
}
