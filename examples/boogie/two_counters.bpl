// #Safe
// Two counters that always move together. The invariant is not needed to verify the program, but it helps: it is
// checked like an assertion, and given to whoever looks for a proof as a hint.

procedure main()
{
  var a, b: int;

  a, b := 0, 0;
  while (*)
    invariant a == b;
  {
    a := a + 1;
    b := b + 1;
  }
  assert a == b;
}
