// #Unsafe
// The loop writes one cell too many.

var cells: [int]int;
const size: int;
axiom size > 0;

procedure write(index, content: int)
  requires 0 <= index && index < size;
  modifies cells;
  ensures cells == old(cells)[index := content];
{
  cells[index] := content;
}

procedure main()
  modifies cells;
{
  var i: int;

  i := 0;
  while (i <= size) {
    call write(i, 0);
    i := i + 1;
  }
}
