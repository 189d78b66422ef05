// expect: true
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n <= 0 || n > 1000) return 0;
  long *a = malloc(n * sizeof *a);
  a[0] = 6;
  for (i = 1; i < n; i++) a[i] = a[i - 1] + 6;
  for (i = 0; i < n; i++) if (a[i] != 6 * i + 6) reach_error();
  return 0;
}
