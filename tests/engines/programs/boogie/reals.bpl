// expect: true
procedure main() {
  var x: real;
  x := 0.5;
  while (*) { x := x / 2.0 + 0.25; }
  assert x <= 0.5;
}
