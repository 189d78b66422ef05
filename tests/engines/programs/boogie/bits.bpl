// expect: true
function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8) returns (bv8);
function {:bvbuiltin "bvand"} both(x: bv8, y: bv8) returns (bv8);
procedure main(x: bv8) {
  var y: bv8;
  y := both(x, 1bv8);
  while (*) { y := add(y, 2bv8); }
  assert both(y, 1bv8) == both(x, 1bv8);
}
