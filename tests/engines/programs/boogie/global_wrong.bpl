// expect: false(unreach-call)
var count: int;
procedure step(by: int) returns (old_count: int) modifies count; {
  old_count := count;
  count := count + by;
}
procedure main(by: int) modifies count; {
  var before: int;
  count := 0;
  call before := step(by);
  call before := step(by);
  assert before < count;
}
