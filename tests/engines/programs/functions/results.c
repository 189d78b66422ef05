// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int divide(unsigned a, unsigned b, unsigned *quotient, unsigned *rest) {
  if (b == 0) return 0;
  *quotient = a / b;
  *rest = a % b;
  return 1;
}
int main(void) {
  unsigned q = 0, r = 0, b = __VERIFIER_nondet_uint() & 7;
  if (divide(29, b, &q, &r) && r >= b) reach_error();
  if (b && q * b + r != 29) reach_error();
  return 0;
}
