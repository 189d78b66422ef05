// expect: true
procedure main(a: [int]int, k: int) {
  assume (forall i: int :: a[i] >= i);
  assert a[k] + 1 > k;
}
