// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  unsigned y = (x << 8) | (x >> 24);
  unsigned z = (y >> 8) | (y << 24);
  if (x != z) reach_error();
  return 0;
}
