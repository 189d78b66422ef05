// expect: false(unreach-call)
// inputs: 2
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int(), n = 0;
  switch (x) {
    case 1: n = 1; break;
    case 2: n = 2;
    case 3: n = 3; break;
  }
  if (x >= 1 && x <= 3 && n != x) reach_error();
  return 0;
}
