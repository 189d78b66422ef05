// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int i = __VERIFIER_nondet_int();
  float f;
  if (i < -1000 || i > 1000) return 0;
  f = (float)i;
  if ((int)f != i) reach_error();
  return 0;
}
