// title: bytes of a number
// rounds: 0
// level: edge
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  unsigned char *p = (unsigned char *)&x;
  *p = 0;
  check((x & 255) == 0);
}
