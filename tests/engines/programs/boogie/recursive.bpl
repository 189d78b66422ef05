// expect: false(unreach-call)
procedure sum(n: int) returns (s: int) {
  if (n <= 0) {
    s := 0;
  } else {
    call s := sum(n - 1);
    s := s + n;
  }
}
procedure main(n: int) {
  var s: int;
  assume n <= 3;
  call s := sum(n);
  assert s != 6;
}
