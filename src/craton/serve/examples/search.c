// Binary search: is the middle always inside of the array? Try low = 1, or middle = (low + high) / 2 with property overflow.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

enum { SIZE = 1000 };

int main(void) {
  int low = 0, high = SIZE - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    assert(0 <= middle && middle < SIZE);
    if (__VERIFIER_nondet_int()) // is what stands there too small?
      low = middle + 1;
    else
      high = middle - 1;
  }
  return 0;
}
