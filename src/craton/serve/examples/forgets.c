// [EI] Exploring Interpolants, as a program: interpolants that count, or the difference that stays
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
  if (i < 0 || i > 1000)
    return 0;
  int x = i, y = j;
  while (x != 0) {
    x--;
    y--;
  }
  if (i == j && y != 0)
    reach_error();
  return 0;
}
