// expect: false(unreach-call)
// inputs:
extern void reach_error(void);

int main(void) {
  float sum = 0.0f;
  int i;
  for (i = 0; i < 10; i++) sum += 0.1f;
  if (sum != 1.0f) reach_error();
  return 0;
}
