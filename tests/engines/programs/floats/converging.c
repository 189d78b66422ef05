// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  double x = 1.0;
  while (__VERIFIER_nondet_int()) x = x / 2.0 + 1.0;
  if (!(x <= 2.0)) reach_error();
  return 0;
}
