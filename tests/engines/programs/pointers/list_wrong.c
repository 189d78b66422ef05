// expect: false(unreach-call)
// inputs: 4, 8
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0, *n;
  int i;
  for (i = 0; i < 2; i++) {
    n = malloc(sizeof *n);
    if (!n) return 0;
    n->value = __VERIFIER_nondet_int();
    n->next = head;
    head = n;
  }
  for (n = head; n; n = n->next)
    if (n->value == 4) reach_error();
  return 0;
}
