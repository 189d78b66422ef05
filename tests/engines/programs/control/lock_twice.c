// expect: false(unreach-call)
// inputs: 1, 1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int locked = 0;
static void acquire(void) {
  if (locked) reach_error();
  locked = 1;
}
static void release(void) { locked = 0; }
int main(void) {
  while (1) {
    acquire();
    if (__VERIFIER_nondet_int() == 0) release();
    if (__VERIFIER_nondet_int() == 0) break;
  }
  return 0;
}
