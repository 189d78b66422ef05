// expect: false(unreach-call)
// inputs: 2147483648
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned u = __VERIFIER_nondet_uint();
  int i = (int)u;
  if (i < 0) reach_error();
  return 0;
}
