// expect: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

// Linear relations of three variables, along traces of any length.
int main(void) {
    int a = 0, b = 0, c = 0;
    while (c < 1000 && __VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            a++;
        else
            b++;
        c++;
    }
    if (a + b != c)
        reach_error();
    return 0;
}
