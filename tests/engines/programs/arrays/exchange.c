// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int a[2], t, x, y;
  x = a[0] = __VERIFIER_nondet_int();
  y = a[1] = __VERIFIER_nondet_int();
  t = a[0];
  a[0] = a[1];
  a[1] = t;
  if (a[0] != y || a[1] != x) reach_error();
  return 0;
}
