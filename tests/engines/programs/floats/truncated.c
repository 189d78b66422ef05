// expect: true
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  int i;
  if (!(x > -0.5 && x < 1.0)) return 0;
  i = (int)x;
  if (i != 0) reach_error();
  return 0;
}
