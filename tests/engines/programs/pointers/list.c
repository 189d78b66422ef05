// expect: true
#include <stdlib.h>
extern void reach_error(void);

struct node { int value; struct node *next; };
int main(void) {
  struct node *head = 0, *n;
  int i, count = 0;
  for (i = 0; i < 2; i++) {
    n = malloc(sizeof *n);
    if (!n) return 0;
    n->value = i;
    n->next = head;
    head = n;
  }
  for (n = head; n; n = n->next) count++;
  if (count != 2) reach_error();
  return 0;
}
