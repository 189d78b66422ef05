// expect: false(unreach-call)
// inputs: 1, 1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

// Two of the values are the same, and meet in the second step.
int main(void) {
    int a = 0, b = 1, c = 0;
    while (__VERIFIER_nondet_int()) {
        int t = a;
        a = b;
        b = c;
        c = t;
        if (a == b)
            reach_error();
    }
    return 0;
}
