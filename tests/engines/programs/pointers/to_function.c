// expect: false(unreach-call)
// inputs: 0, 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int more(int x) { return x + 1; }
static int less(int x) { return x - 1; }
int main(void) {
  int (*change)(int) = __VERIFIER_nondet_int() ? more : less;
  int x = __VERIFIER_nondet_int();
  if (x == 3 && change(x) == 2) reach_error();
  return 0;
}
