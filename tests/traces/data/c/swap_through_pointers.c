// title: swap through pointers
// rounds: 0
// level: edge
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void check(int condition) { if (!condition) reach_error(); }

static void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  int x = a, y = b;
  swap(&x, &y);
  check(x == b && y == a);
}
