// expect: false(unreach-call)
// inputs: 1, 7, 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned x = 0, y = 0;
  while (__VERIFIER_nondet_int()) {
    x++;
    y++;
    if (__VERIFIER_nondet_int() == 7) y++;
  }
  if (x != y) reach_error();
  return 0;
}
