// expect: false(valid-deref)
// property: memory-safety
// inputs: 2, 1, 120
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);
extern void *malloc(unsigned long);
extern void free(void *);

int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  if (n < 2 || m < 1 || n > 100 || m > 100) return 0;
  char *a = malloc(n), *b = malloc(n + m - 2);
  for (int i = 0; i < n - 1; i++) a[i] = __VERIFIER_nondet_char();
  for (int i = 0; i < m - 1; i++) b[i] = __VERIFIER_nondet_char();
  a[n - 1] = 0;
  b[m - 1] = 0;
  char *to = b, *from = a;
  while (*to) to++;
  while ((*to++ = *from++))
    ;
  free(a);
  free(b);
  return 0;
}
