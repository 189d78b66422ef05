// expect: false(unreach-call)
// inputs: 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 4) return 0;
  if (factorial(n) == 6) reach_error();
  return 0;
}
