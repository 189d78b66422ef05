// title: an index that stays inside
// rounds: 0
// level: block
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int a[8];
  unsigned n = __VERIFIER_nondet_uint();
  a[n % 8] = 5;
  check(a[n & 7] == 5);
}
