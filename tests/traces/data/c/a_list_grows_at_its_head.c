// title: a list grows at its head, two rounds
// rounds: 2
// level: block
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned);
static void check(int condition) { if (!condition) reach_error(); }

struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0;
  while (__VERIFIER_nondet_int()) {
    struct node *n = malloc(sizeof(struct node));
    if (!n) return 0;
    n->value = 7;
    n->next = head;
    head = n;
  }
  check(!head || head->value == 7);
}
