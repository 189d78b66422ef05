/* A vending machine should never give back more than it got. FALSE: the way there names states and events. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

enum state { IDLE, PAID, SERVING };
enum event { COIN, BUTTON, CANCEL, DONE };

int main(void) {
  enum state state = IDLE;
  int coins = 0, drinks = 0, refunds = 0;
  for (int step = 0; step < 10; step++) {
    enum event event = (enum event)(__VERIFIER_nondet_int() & 3);
    switch (state) {
    case IDLE:
      if (event == COIN) {
        coins++;
        state = PAID;
      }
      break;
    case PAID:
      if (event == BUTTON)
        state = SERVING;
      else if (event == CANCEL) {
        refunds++;
        state = IDLE;
      }
      break;
    case SERVING:
      if (event == CANCEL)
        refunds++; /* too late */
      else if (event == DONE) {
        drinks++;
        state = IDLE;
      }
      break;
    }
    assert(drinks + refunds <= coins);
  }
}
