// expect: false(unreach-call)
// inputs: inf
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
  double x = __VERIFIER_nondet_double();
  if (x > 0.0 && x * 2.0 == x) reach_error();
  return 0;
}
