// expect: false(unreach-call)
// inputs:
extern void reach_error(void);

int main(void) {
  int ring[4], i;
  for (i = 0; i < 5; i++) ring[i % 4] = i;
  if (ring[0] != 0) reach_error();
  return 0;
}
