// expect: true
extern void reach_error(void);

int main(void) {
  int x = 0;
  do {
    x += 3;
  } while (x < 9);
  if (x != 9) reach_error();
  return 0;
}
