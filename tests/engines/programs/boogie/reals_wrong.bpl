// expect: false(unreach-call)
procedure main(x: real) {
  var y: real;
  y := x * 2.0;
  assert y > 1.0 || y < 0.5;
}
