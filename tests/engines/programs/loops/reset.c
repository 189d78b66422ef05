// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

// In integers x ≥ 0 is enough; in bits it takes a bound of x as well.
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) {
    x = x + 1;
    if (x > 50) x = 0;
  }
  if (x < 0) reach_error();
  return 0;
}
