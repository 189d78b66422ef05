// expect: true
// property: memory-safety
#include <stdlib.h>

int main(void) {
  int *p = malloc(sizeof(int));
  if (!p) return 0;
  *p = 3;
  free(p);
  return 0;
}
