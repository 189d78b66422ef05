// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int state = 0, opened = 0;
  while (1) {
    switch (state) {
      case 0: if (__VERIFIER_nondet_int()) state = 1; break;
      case 1: opened++; state = 2; break;
      case 2: opened--; state = __VERIFIER_nondet_int() ? 0 : 3; break;
      default:
        if (opened != 0) reach_error();
        return 0;
    }
  }
}
