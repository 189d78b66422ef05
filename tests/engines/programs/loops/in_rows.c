// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), k = 0;
  if (n < 10 || n > 10000 || m < 10 || m > 10000) return 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) k++;
  if (k < 100) reach_error();
  return 0;
}
