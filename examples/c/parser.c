/* Reads a number that has to fit into a byte. The check comes one digit too late: FALSE, with a text that shows it. */
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

static int parse(const char *text, unsigned char *value) {
  unsigned result = 0;
  if (*text == '\0')
    return 0;
  for (; *text != '\0'; text++) {
    if (*text < '0' || *text > '9')
      return 0;
    if (result > 255)
      return 0;
    result = 10 * result + (unsigned)(*text - '0');
  }
  *value = (unsigned char)result;
  assert(*value == result);
  return 1;
}

int main(void) {
  char text[5];
  unsigned char value;
  for (int i = 0; i < 4; i++)
    text[i] = __VERIFIER_nondet_char();
  text[4] = '\0';
  parse(text, &value);
}
