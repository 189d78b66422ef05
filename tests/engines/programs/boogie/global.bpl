// expect: true
var count: int;
procedure step() modifies count; {
  count := count + 1;
}
procedure main() modifies count; {
  count := 0;
  call step();
  call step();
  assert count == 2;
}
