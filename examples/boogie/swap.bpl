// #Safe
// Unstructured control flow: labels and goto. Each round swaps two values, so their sum never changes.

procedure main(first, second: int)
{
  var x, y: int;

  x, y := first, second;

head:
  goto swap, done;

swap:
  x, y := y, x;
  goto head;

done:
  assert x + y == first + second;
}
