// expect: false(unreach-call)
// inputs: 3
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  while (n > 1) n -= 2;
  if (n != 0) reach_error();
  return 0;
}
