/* Tricks with bits, compared with what they are tricks for: TRUE of all numbers, bit by bit. */
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned is_power_of_two(unsigned x) { return x != 0 && (x & (x - 1)) == 0; }

static unsigned count(unsigned x) {
  unsigned n = 0;
  for (; x != 0; x &= x - 1)
    n++;
  return n;
}

static unsigned average(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }

int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  assert(average(a, b) == ((unsigned long long)a + b) / 2);
  unsigned x = a & 0xff;
  assert(is_power_of_two(x) == (count(x) == 1));
}
