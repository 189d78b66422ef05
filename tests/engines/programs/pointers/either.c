// expect: false(unreach-call)
// inputs: 1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = 0, y = 0;
  int *p = __VERIFIER_nondet_int() ? &x : &y;
  *p = 1;
  if (x == 1) reach_error();
  return 0;
}
