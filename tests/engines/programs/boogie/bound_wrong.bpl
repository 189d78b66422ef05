// expect: false(unreach-call)
procedure main(n: int) {
  var i: int;
  i := 0;
  while (i < n) { i := i + 1; }
  assert i == n;
}
