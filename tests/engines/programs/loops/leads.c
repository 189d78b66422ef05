// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int ahead = 1, behind = 0;
  while (behind < 1000 && __VERIFIER_nondet_int()) {
    behind = ahead;
    ahead = ahead + 1;
  }
  if (behind >= ahead) reach_error();
  return 0;
}
