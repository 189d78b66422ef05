// expect: true
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  int lock = 0;
  unsigned old, new = __VERIFIER_nondet_uint();
  do {
    lock = 1;
    old = new;
    if (__VERIFIER_nondet_int()) {
      lock = 0;
      new++;
    }
  } while (new != old);
  if (!lock) reach_error();
  return 0;
}
