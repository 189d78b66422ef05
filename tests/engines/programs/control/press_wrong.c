// expect: false(unreach-call)
// inputs: 2, 1, 3, 2
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int state = 1, armed, load = 5;

int main(void) {
  while (1) {
    int input = __VERIFIER_nondet_int();
    if (input < 1 || input > 5) return 0;
    if (state == 1 && input == 2) { state = 2; armed = 1; }
    else if (state == 2 && input == 3 && load > 40) { state = 3; load = load % 17; }
    else if (state == 2 && input == 1) load = load / 5 + 45;
    else if (state == 3 && input == 2 && load <= 40) armed = 0;
    if (state == 3 && !armed) reach_error();
  }
}
