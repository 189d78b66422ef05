// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int m[2][2], i, j, x = __VERIFIER_nondet_int();
  for (i = 0; i < 2; i++)
    for (j = 0; j < 2; j++)
      m[i][j] = i == j ? x : 0;
  if (m[0][0] != m[1][1] || m[0][1] != m[1][0]) reach_error();
  return 0;
}
