// expect: true
extern void reach_error(void);

struct pair { int first; int second; };
int main(void) {
  struct pair s = {1, 2}, t = s, *p = &t;
  p->first = 9;
  if (s.first != 1 || t.second != 2 || t.first != 9) reach_error();
  return 0;
}
