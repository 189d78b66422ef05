// expect: true
// property: no-overflow
int main(void) {
  int i, sum = 0;
  for (i = 0; i < 8; i++) sum += i;
  return sum > 0;
}
