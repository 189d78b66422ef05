// expect: false(unreach-call)
function f(x: int) returns (int);
procedure main(a: int, b: int) {
  assert f(a) == f(b) ==> a == b;
}
