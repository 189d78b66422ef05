// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int minute = 0, hour = 0, passed = 0;
  while (__VERIFIER_nondet_int()) {
    minute = (minute + 1) % 60;
    if (minute == 0) hour = (hour + 1) % 24;
    passed = hour * 60 + minute;
    if (passed < 0 || passed > 1439) reach_error();
  }
  return 0;
}
