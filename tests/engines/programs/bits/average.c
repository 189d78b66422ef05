// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  unsigned middle = (a & b) + ((a ^ b) >> 1);
  if (a <= b && (middle < a || middle > b)) reach_error();
  return 0;
}
