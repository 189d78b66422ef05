// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void exchange(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}
int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  int a = x, b = y;
  exchange(&a, &b);
  if (a != y || b != x) reach_error();
  return 0;
}
