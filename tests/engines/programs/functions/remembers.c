// expect: true
extern void reach_error(void);

static int next(void) {
  static int last = 0;
  return ++last;
}
int main(void) {
  int a = next();
  int b = next();
  if (a != 1 || b != 2) reach_error();
  return 0;
}
