// expect: true
procedure main(n: int) {
  var i: int;
  i := n;
  while (i > 0) invariant i <= n; { i := i - 1; }
  assert i <= n;
}
