// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int larger(int a, int b) { return a > b ? a : b; }
int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  int m = larger(x, y);
  if (m < x || m < y) reach_error();
  if (m != larger(y, x)) reach_error();
  return 0;
}
