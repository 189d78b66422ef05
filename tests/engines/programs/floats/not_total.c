// expect: false(unreach-call)
// inputs: nan, 1.0
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void) {
  float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
  if (!(x < y) && !(x >= y)) reach_error();
  return 0;
}
