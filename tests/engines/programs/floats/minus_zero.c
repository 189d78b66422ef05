// expect: true
extern void reach_error(void);

int main(void) {
  double z = -0.0;
  if (z != 0.0) reach_error();
  if (!(1.0 / z < 0.0)) reach_error();
  return 0;
}
