// expect: true
extern void reach_error(void);

int main(void) {
  unsigned char c = 200;
  signed char s = (signed char)c;
  if (s != -56) reach_error();
  return 0;
}
