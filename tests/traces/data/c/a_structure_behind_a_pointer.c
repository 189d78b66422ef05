// title: a structure behind a pointer
// rounds: 0
// level: edge
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
static void check(int condition) { if (!condition) reach_error(); }

struct pair { int first; int second; };
static void mirror(struct pair *p) { p->second = p->first; }
int main(void) {
  struct pair s;
  s.first = __VERIFIER_nondet_int();
  mirror(&s);
  check(s.first == s.second);
}
