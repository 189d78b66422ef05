// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int calls = 0, x = __VERIFIER_nondet_int();
  if (x > 0 && ++calls) calls += 10;
  if (x <= 0 || (calls += 100, 0)) calls += 1000;
  if (x > 0 && calls != 111) reach_error();
  if (x <= 0 && calls != 1000) reach_error();
  return 0;
}
