// expect: false(unreach-call)
// inputs: 40000
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int i = __VERIFIER_nondet_int();
  short s = (short)i;
  if (i > 0 && s != i) reach_error();
  return 0;
}
