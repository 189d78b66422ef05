// expect: true
procedure main(n: int, k: int) {
  var a: [int]int;
  var i: int;
  assume 0 <= k && k < n && n <= 3;
  i := 0;
  while (i < n) {
    a[i] := i;
    i := i + 1;
  }
  assert a[k] == k;
}
