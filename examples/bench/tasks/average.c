// The average of two numbers lies between them, unless their sum is too large.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned int a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (a <= b) {
        unsigned int average = (a + b) / 2;
        if (average < a) reach_error();
    }
    return 0;
}
