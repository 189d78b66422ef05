// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a = 0, b = 1, t;
  while (__VERIFIER_nondet_int()) {
    t = a;
    a = b;
    b = t;
  }
  if (a + b != 1) reach_error();
  return 0;
}
