/* The accounts of a bank, an array of structs: a transfer moves money, and makes none. TRUE. */
#include <assert.h>

#define ACCOUNTS 4

extern unsigned __VERIFIER_nondet_uint(void);

struct account {
  unsigned number;
  int balance;
};

static int transfer(struct account *from, struct account *to, int amount) {
  if (amount <= 0 || from->balance < amount)
    return 0;
  from->balance -= amount;
  to->balance += amount;
  return 1;
}

int main(void) {
  struct account bank[ACCOUNTS];
  for (unsigned i = 0; i < ACCOUNTS; i++) {
    bank[i].number = 1000 + i;
    bank[i].balance = 100;
  }
  unsigned from = __VERIFIER_nondet_uint() % ACCOUNTS, to = __VERIFIER_nondet_uint() % ACCOUNTS;
  transfer(&bank[from], &bank[to], (int)(__VERIFIER_nondet_uint() % 1000));
  int sum = 0;
  for (unsigned i = 0; i < ACCOUNTS; i++) {
    assert(bank[i].balance >= 0);
    sum += bank[i].balance;
  }
  assert(sum == 100 * ACCOUNTS);
}
