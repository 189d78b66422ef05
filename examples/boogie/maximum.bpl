// #Safe
// The largest element of an array, with its specification. `find` can be verified alone; `main` can be verified with
// the specification of `find` only (contracts=True).

procedure find(a: [int]int, n: int) returns (max: int)
  requires n > 0;
  ensures (forall i: int :: 0 <= i && i < n ==> a[i] <= max);
  ensures (exists i: int :: 0 <= i && i < n && a[i] == max);
{
  var k: int;

  max := a[0];
  k := 1;
  while (k < n)
    invariant 1 <= k && k <= n;
    invariant (forall i: int :: 0 <= i && i < k ==> a[i] <= max);
    invariant (exists i: int :: 0 <= i && i < k && a[i] == max);
  {
    if (a[k] > max) {
      max := a[k];
    }
    k := k + 1;
  }
}

procedure main()
{
  var a: [int]int;
  var m: int;

  a[0], m := 3, 0;
  a[1] := 7;
  a[2] := 5;
  call m := find(a, 3);
  assert m == 7;
}
