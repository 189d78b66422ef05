// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  unsigned x = 1;
  while (__VERIFIER_nondet_int()) x <<= 1;
  if ((x & (x - 1)) != 0) reach_error();
  return 0;
}
