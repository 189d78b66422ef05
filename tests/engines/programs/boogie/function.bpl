// expect: true
function f(x: int) returns (int);
procedure main(a: int, b: int) {
  var c: int;
  c := a;
  assert a == b ==> f(c) == f(b);
}
