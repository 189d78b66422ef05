// expect: false(unreach-call)
// inputs: 1, 1, 1, 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_int()) x = (x + 1) % 4;
  if (x >= 3) reach_error();
  return 0;
}
