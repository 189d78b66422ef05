/* Binary search: what is found is where it says, and no index is ever outside of the array. TRUE. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int search(const int *sorted, int n, int wanted) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int middle = low + (high - low) / 2;
    assert(0 <= middle && middle < n);
    if (sorted[middle] == wanted)
      return middle;
    if (sorted[middle] < wanted)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

int main(void) {
  int numbers[7] = {2, 3, 5, 7, 11, 13, 17};
  int wanted = __VERIFIER_nondet_int();
  int place = search(numbers, 7, wanted);
  assert(place == -1 || numbers[place] == wanted);
}
