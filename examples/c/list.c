/* A linked list on the heap: elements are put in front, added up, and freed. TRUE, also with --property memsafety. */
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
      return 0;
    fresh->value = i;
    fresh->next = head;
    head = fresh;
  }
  int sum = 0;
  while (head) {
    struct node *next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  assert(sum == 3);
}
