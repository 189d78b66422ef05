// expect: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  unsigned char *byte = (unsigned char *)&x;
  byte[0] = 0xff;
  if ((x & 0xff) != 0xff) reach_error();
  return 0;
}
