// expect: false(unreach-call)
function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8) returns (bv8);
function {:bvbuiltin "bvult"} below(x: bv8, y: bv8) returns (bool);
procedure main(x: bv8) {
  var y: bv8;
  y := add(x, 3bv8);
  assert below(x, y);
}
