// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  if (x / 4 != x >> 2 || x % 4 != (x & 3)) reach_error();
  return 0;
}
