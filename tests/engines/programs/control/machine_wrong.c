// expect: false(unreach-call)
// inputs: 2, 1, 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int state = 0;
  while (1) {
    int key = __VERIFIER_nondet_int();
    if (key < 1 || key > 3) return 0;
    switch (state) {
      case 0: state = key == 2 ? 1 : 0; break;
      case 1: state = key == 1 ? 2 : 0; break;
      case 2: state = key == 3 ? 3 : 0; break;
    }
    if (state == 3) reach_error();
  }
}
