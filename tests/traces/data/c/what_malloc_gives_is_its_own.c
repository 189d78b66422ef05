// title: what malloc gives is its own
// rounds: 0
// level: edge
extern void reach_error(void);
extern void *malloc(unsigned);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int *p = malloc(sizeof(int)), *q = malloc(sizeof(int));
  if (!p || !q) return 0;
  *p = 1;
  *q = 2;
  check(*p == 1);
}
