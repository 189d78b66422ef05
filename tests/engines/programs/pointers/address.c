// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = 0, *p = &x;
  *p = __VERIFIER_nondet_int();
  if (x != *p) reach_error();
  return 0;
}
