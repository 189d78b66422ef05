// expect: true
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node { struct node *next; int data; };

int main(void) {
  struct node *head = malloc(sizeof *head), *x = head;
  head->next = 0;
  head->data = 7;
  while (__VERIFIER_nondet_int()) {
    x->next = malloc(sizeof *x);
    x = x->next;
    x->next = 0;
    x->data = 7;
  }
  for (x = head; x; x = x->next) if (x->data != 7) reach_error();
  return 0;
}
