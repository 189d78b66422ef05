// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int(), n = 0;
  switch (x) {
    case 1: n++;
    case 2: n++;
    case 3: n++; break;
    default: n = 4 - x;
  }
  if (x >= 1 && x <= 3 && n != 4 - x) reach_error();
  return 0;
}
