// expect: false(unreach-call)
procedure main() {
  var x: int;
start:
  x := 0;
  goto more, done;
more:
  x := x + 3;
  goto more, done;
done:
  assert x mod 2 == 0;
}
