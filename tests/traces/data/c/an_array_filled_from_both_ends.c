// title: an array filled from both ends
// rounds: 2
// level: edge
extern void reach_error(void);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int a[4];
  unsigned i = 0;
  while (i < 2) { a[i] = i; a[3 - i] = i; i++; }
  check(a[1] == a[2]);
}
