// #Safe
// A heap of machine words behind pointers that are records, in the dialect of Ultimate.

type Pointer = { base: int, offset: bv32 };

var valid: [int]bool;
var heap: [Pointer]bv32;

function {:bvbuiltin "bvadd"} add32(x: bv32, y: bv32): bv32;

procedure allocate() returns (p: Pointer);
  modifies valid;
  ensures !old(valid)[p!base] && p!offset == 0bv32;
  ensures valid == old(valid)[p!base := true];

procedure main()
  modifies valid, heap;
{
  var p, q, r: Pointer;

  call p := allocate();
  call q := allocate();
  heap[p] := 1bv32;
  heap[q] := 2bv32;
  r := p;
  r!offset := add32(r!offset, 4bv32);
  heap[r] := 3bv32;
  assert add32(heap[p], heap[q]) == heap[r];
}
