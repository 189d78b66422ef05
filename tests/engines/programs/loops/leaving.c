// expect: true
extern void reach_error(void);

int main(void) {
  int x = 0;
  while (1) {
    if (x >= 10) break;
    x++;
  }
  if (x != 10) reach_error();
  return 0;
}
