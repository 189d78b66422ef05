// title: a list of two
// rounds: 0
// level: edge
extern void reach_error(void);
extern void *malloc(unsigned);
static void check(int condition) { if (!condition) reach_error(); }

struct node { int value; struct node *next; };
int main(void) {
  struct node *a = malloc(sizeof(struct node)), *b = malloc(sizeof(struct node));
  if (!a || !b) return 0;
  a->value = 1; a->next = b;
  b->value = 2; b->next = 0;
  check(a->next->value == 2 && a->next->next == 0);
}
