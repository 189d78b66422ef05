// expect: false(unreach-call)
// inputs: 3, 1, 2
extern void reach_error(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(), c = __VERIFIER_nondet_uchar();
  unsigned char x = a, y = b, z = c, rounds = 0;
  while (1) {
    unsigned char last = z;
    z = y > c ? y : c;
    y = x > b ? x : b;
    x = last > a ? last : a;
    if (rounds < 9) rounds++;
    if (rounds >= 1 && (x != y || y != z)) reach_error();
  }
}
