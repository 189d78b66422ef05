// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned depth(unsigned n) { return n == 0 ? 0 : 1 + depth(n - 1); }
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 100) return 0;
  if (depth(n) != n) reach_error();
  return 0;
}
