// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int r = x % 3;
  if (x < 0 && r > 0) reach_error();
  if (x > 0 && r < 0) reach_error();
  if (r > 2 || r < -2) reach_error();
  return 0;
}
