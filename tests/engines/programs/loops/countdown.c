// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  while (n > 0) n--;
  if (n != 0) reach_error();
  return 0;
}
