// expect: false(unreach-call)
// inputs: 1, 4, 1, 5, 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_int()) {
    x += 2;
    if (__VERIFIER_nondet_int() == 5) x++;
  }
  if (x % 2 == 1) reach_error();
  return 0;
}
