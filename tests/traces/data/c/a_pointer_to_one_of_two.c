// title: a pointer to one of two
// rounds: 0
// level: block
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int x = 1, y = 2;
  int *p = __VERIFIER_nondet_int() ? &x : &y;
  *p = 3;
  check(x == 3 || y == 3);
}
