// [CN] Craig vs. Newton, Fig. 1: whatever is allocated is freed again. What does x = 0 have to do with it?
procedure example1() {
  var a, b: [int]bool;
  var p, x: int;
  b := a;
  x := 0;
  while (*) {
    havoc p;
    assume !a[p];
    a[p] := true;
    x := x + 1;
    a[p] := false;
  }
  assert a == b;
}
