// expect: false(unreach-call)
// inputs: -1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int i = __VERIFIER_nondet_int();
  unsigned limit = 10;
  if (i < 5 && i > limit) reach_error();
  return 0;
}
