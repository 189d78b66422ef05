// expect: false(unreach-call)
// inputs: 5
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int x = __VERIFIER_nondet_int(), n = 0;
  if (x == 5) goto inside;
  while (n < 2) {
    n++;
inside:
    n++;
  }
  if (n == 3) reach_error();
  return 0;
}
