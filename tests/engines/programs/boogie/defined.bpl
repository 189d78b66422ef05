// expect: true
function twice(x: int) returns (int) { x + x }
procedure main(a: int) {
  var s, i: int;
  s := 0;
  i := 0;
  while (i < a) {
    s := s + 2;
    i := i + 1;
  }
  assert a > 0 ==> s == twice(a);
}
