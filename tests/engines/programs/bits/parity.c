// expect: true
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void) {
  unsigned char c = __VERIFIER_nondet_uchar();
  unsigned folded = c, counted = 0;
  int i;
  folded ^= folded >> 4;
  folded ^= folded >> 2;
  folded ^= folded >> 1;
  for (i = 0; i < 8; i++) counted ^= (c >> i) & 1;
  if ((folded & 1) != counted) reach_error();
  return 0;
}
