// expect: false(unreach-call)
// inputs: -2147483648
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned magnitude = x < 0 ? 0u - (unsigned)x : (unsigned)x;
  if ((int)magnitude < 0) reach_error();
  return 0;
}
