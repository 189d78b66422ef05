// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int sign = x >> 31;
  if (x < 0 && sign != -1) reach_error();
  if (x >= 0 && sign != 0) reach_error();
  return 0;
}
