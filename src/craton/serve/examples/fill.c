// Every element has been written when the last loop asks: true of all of them.
#include <assert.h>

enum { SIZE = 5000 };

int main(void) {
  static int squares[SIZE], copy[SIZE];
  for (int i = 0; i < SIZE; i++)
    squares[i] = i * i;
  for (int i = 0; i < SIZE; i++)
    copy[i] = squares[i];
  for (int i = 0; i < SIZE; i++)
    assert(copy[i] == squares[i]);
  return 0;
}
