// title: allocated and freed again, two rounds
// rounds: 2
// level: block
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned);
extern void free(void *);
static void check(int condition) { if (!condition) reach_error(); }

int main(void) {
  int held = 0;
  while (__VERIFIER_nondet_int()) {
    int *p = malloc(sizeof(int));
    if (!p) return 0;
    held++;
    *p = held;
    check(*p == held);
    free(p);
    held--;
  }
  check(held == 0);
}
