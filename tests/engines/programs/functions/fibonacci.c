// expect: false(unreach-call)
// inputs:
extern void reach_error(void);

static int fibonacci(int n) {
  if (n < 2) return n;
  return fibonacci(n - 1) + fibonacci(n - 2);
}
int main(void) {
  if (fibonacci(3) == 2) reach_error();
  return 0;
}
