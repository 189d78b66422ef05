// expect: true
procedure main() {
  var x, y: int;
  havoc x, y;
  assume x > y;
  while (x != y) { x := x - 1; }
  assert x == y;
}
