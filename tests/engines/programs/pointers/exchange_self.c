// expect: false(unreach-call)
// inputs: 5
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static void exchange(unsigned *a, unsigned *b) {
  *a ^= *b;
  *b ^= *a;
  *a ^= *b;
}
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), old = x;
  exchange(&x, &x);
  if (x != old) reach_error();
  return 0;
}
