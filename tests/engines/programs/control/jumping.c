// expect: true
extern void reach_error(void);

int main(void) {
  int x = 0, y = 0;
again:
  if (x == y) x++;
  else y++;
  if (x < 50) goto again;
  if (x - y > 1 || y > x) reach_error();
  return 0;
}
