// expect: true
extern void reach_error(void);

int main(void) {
  int x = 1, y = 2, *p = &x, **pp = &p;
  *pp = &y;
  *p = 5;
  if (x != 1 || y != 5) reach_error();
  return 0;
}
