// expect: false(unreach-call)
// inputs:
extern void reach_error(void);

int main(void) {
  int i, j, count = 0;
  for (i = 0; i < 4; i++)
    for (j = 0; j <= i; j++)
      count++;
  if (count != 6) reach_error();
  return 0;
}
