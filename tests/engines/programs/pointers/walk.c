// expect: true
extern void reach_error(void);

int main(void) {
  int a[3] = {1, 2, 3}, sum = 0, *p;
  for (p = a; p < a + 3; p++) sum += *p;
  if (sum != 6) reach_error();
  return 0;
}
