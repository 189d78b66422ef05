// expect: true
extern void reach_error(void);

int main(void) {
  int i, n = 0;
  for (i = 0; i < 6; i++) {
    if (i & 1) continue;
    n++;
  }
  if (n != 3) reach_error();
  return 0;
}
