// Fees are deducted month by month; is the account ever overdrawn?
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int fee(int month) {
  return month % 3 == 0 ? 12 : 5;
}

int main(void) {
  int balance = __VERIFIER_nondet_int();
  if (balance < 40 || balance > 200)
    return 0;
  for (int month = 1; month <= 6; month++)
    balance -= fee(month);
  assert(balance >= 0);
  return 0;
}
