// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  unsigned a = x, b = y;
  a ^= b;
  b ^= a;
  a ^= b;
  if (a != y || b != x) reach_error();
  return 0;
}
