// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a[3], b[3], i;
  for (i = 0; i < 3; i++) a[i] = __VERIFIER_nondet_int();
  for (i = 0; i < 3; i++) b[i] = a[i];
  for (i = 0; i < 3; i++)
    if (a[i] != b[i]) reach_error();
  return 0;
}
