// expect: true
// property: memory-safety
#include <stdlib.h>

struct node { struct node *next; };
int main(void) {
  struct node *head = 0, *n;
  int i;
  for (i = 0; i < 2; i++) {
    n = malloc(sizeof *n);
    if (!n) break;
    n->next = head;
    head = n;
  }
  while (head) {
    n = head->next;
    free(head);
    head = n;
  }
  return 0;
}
