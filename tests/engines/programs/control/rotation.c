// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

// Three different values change places. That two of them differ follows from three steps, not from one.
int main(void) {
    int a = 0, b = 1, c = 2;
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
