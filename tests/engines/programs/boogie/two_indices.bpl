// expect: true
procedure main(i: int, j: int) {
  var m: [int, int]bool;
  m[i, j] := true;
  m[j, i] := false;
  assert i != j ==> m[i, j];
}
