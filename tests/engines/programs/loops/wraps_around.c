// expect: false(unreach-call)
// inputs: 253
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
  unsigned char c = __VERIFIER_nondet_uchar();
  while (c >= 250) c++;
  // from 250 on the only way out is over the top
  if (c == 0 && __VERIFIER_nondet_int() == 0) reach_error();
  return 0;
}
