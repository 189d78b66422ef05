// Two counters that stay ten apart, whatever happens.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int low = 0, high = 10;
    while (__VERIFIER_nondet_int()) {
        low++;
        high++;
        if (low == 1000) {
            low = 0;
            high = 10;
        }
    }
    if (high - low != 10) reach_error();
    return 0;
}
