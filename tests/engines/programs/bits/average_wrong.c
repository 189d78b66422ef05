// expect: false(unreach-call)
// inputs: 4294967295, 4294967295
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  unsigned middle = (a + b) / 2;
  if (a <= b && (middle < a || middle > b)) reach_error();
  return 0;
}
