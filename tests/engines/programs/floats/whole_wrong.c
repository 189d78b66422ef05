// expect: false(unreach-call)
// inputs: 16777217
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int i = __VERIFIER_nondet_int();
  float f;
  if (i < 0 || i > 20000000) return 0;
  f = (float)i;
  if ((int)f != i) reach_error();
  return 0;
}
