// expect: true
extern void reach_error(void);

int main(void) {
  char text[] = "abc";
  int n = 0;
  while (text[n]) n++;
  if (n != 3) reach_error();
  return 0;
}
