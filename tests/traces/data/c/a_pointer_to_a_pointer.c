// title: a pointer to a pointer
// rounds: 0
// level: edge
extern void reach_error(void);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int x = 0;
  int *p = &x;
  int **q = &p;
  **q = 9;
  check(x == 9 && *p == 9);
}
