// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), sum = 0, i;
  if (n > 6) return 0;
  for (i = 1; i <= n; i++) sum += i;
  if (sum > 21) reach_error();
  return 0;
}
