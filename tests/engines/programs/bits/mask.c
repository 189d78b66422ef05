// expect: true
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  while (__VERIFIER_nondet_int()) x = (x * 5 + 3) & 15;
  if ((x & 15) >= 16) reach_error();
  return 0;
}
