/* Copies a text into a buffer that is too small for it: the copy ends with '\0' all the same. TRUE; whether an access
   is ever outside of an array is another question:  craton verify examples/c/strings.c --property memsafety */
#include <assert.h>
#include <stddef.h>

extern char __VERIFIER_nondet_char(void);

static void copy(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; i + 1 < size && from[i] != '\0'; i++)
    to[i] = from[i];
  to[i] = '\0';
}

int main(void) {
  char text[5], buffer[4];
  for (int i = 0; i < 4; i++)
    text[i] = __VERIFIER_nondet_char();
  text[4] = '\0';
  copy(buffer, text, sizeof buffer);
  size_t n = 0;
  while (buffer[n] != '\0')
    n++;
  assert(n < sizeof buffer);
}
