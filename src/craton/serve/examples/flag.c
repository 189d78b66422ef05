// [RS] Refinement Selection, Fig. 1: infeasible for two reasons, a counter and a flag. Try sliced(craig(z3), good)
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int flag = __VERIFIER_nondet_int(), i = 0;
  if (flag) {
    while (i < 1000)
      i++;
    if (!flag)
      reach_error();
  }
  return 0;
}
