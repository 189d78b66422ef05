// expect: false(unreach-call)
// inputs: 1e16, -1e16, 0.5
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void) {
  double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(), c = __VERIFIER_nondet_double();
  double left = a + b, right = b + c;
  left = left + c;
  right = a + right;
  if (left != right) reach_error();
  return 0;
}
