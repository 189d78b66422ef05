// expect: false(unreach-call)
// inputs: 1, 2
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int larger(int a, int b) {
  if (a > b) return a;
  return a;
}
int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (larger(x, y) < y) reach_error();
  return 0;
}
