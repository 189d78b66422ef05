// expect: false(unreach-call)
// inputs: 4294967295, 1
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  if (a + b < a) reach_error();
  return 0;
}
