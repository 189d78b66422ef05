/* A ring buffer of eight elements: it never holds more than it has room for, whoever puts and gets. The proof is
   an invariant of the loop, in C: q.head <= 7 && q.count <= 8 */
#include <assert.h>

#define SIZE 8

extern int __VERIFIER_nondet_int(void);

struct queue {
  int items[SIZE];
  unsigned head, count;
};

static int put(struct queue *q, int item) {
  if (q->count == SIZE)
    return 0;
  q->items[(q->head + q->count) % SIZE] = item;
  q->count++;
  return 1;
}

static int get(struct queue *q, int *item) {
  if (q->count == 0)
    return 0;
  *item = q->items[q->head];
  q->head = (q->head + 1) % SIZE;
  q->count--;
  return 1;
}

int main(void) {
  struct queue q = {.head = 0, .count = 0};
  int item;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int())
      put(&q, __VERIFIER_nondet_int());
    else
      get(&q, &item);
    assert(q.count <= SIZE && q.head < SIZE);
  }
}
