// expect: true
extern void reach_error(void);

int main(void) {
  float x = 16777216.0f;
  float y = x + 1.0f;
  if (x != y) reach_error();
  return 0;
}
