// expect: true
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0, *n;
  while (__VERIFIER_nondet_int()) {
    n = malloc(sizeof *n);
    if (!n) return 0;
    n->value = 1;
    n->next = head;
    head = n;
  }
  for (n = head; n; n = n->next)
    if (n->value != 1) reach_error();
  return 0;
}
