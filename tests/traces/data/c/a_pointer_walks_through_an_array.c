// title: a pointer walks through an array
// rounds: 3
// level: block
extern void reach_error(void);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int a[3] = {4, 4, 4};
  int *p = a;
  int sum = 0;
  while (p < a + 3) { sum += *p; p++; }
  check(sum == 12);
}
