// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct pair { int first; int second; };
int main(void) {
  struct pair s, *p = &s;
  p->first = __VERIFIER_nondet_int();
  p->second = 3;
  s.first = s.first & 1;
  if (p->first > 1 || p->first < 0 || s.second != 3) reach_error();
  return 0;
}
