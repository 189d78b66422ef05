// expect: true
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (!(x >= 0.0 && x <= 100.0)) return 0;
  if (x / 2.0 > 50.0) reach_error();
  return 0;
}
