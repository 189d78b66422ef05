// expect: false(unreach-call)
// inputs: 7
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  int count = 0;
  while (x) {
    x &= x - 1;
    count++;
  }
  if (count == 3) reach_error();
  return 0;
}
