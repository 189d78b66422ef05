/* The transpose of a transpose is the matrix itself: TRUE of all matrices of this size. */
#include <assert.h>

#define N 3

extern int __VERIFIER_nondet_int(void);

static void transpose(int to[N][N], int from[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      to[j][i] = from[i][j];
}

int main(void) {
  int a[N][N], b[N][N], c[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = __VERIFIER_nondet_int();
  transpose(b, a);
  transpose(c, b);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      assert(c[i][j] == a[i][j]);
}
