// expect: false(unreach-call)
function {:inline} half(x: int) returns (int) { x div 2 }
procedure main(a: int) {
  assume 0 <= a && a <= 9;
  assert half(a) + half(a) == a;
}
