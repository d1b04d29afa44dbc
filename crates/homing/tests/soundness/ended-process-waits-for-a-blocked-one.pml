// expect: violated invalid-end-state length=2
// The second send blocks C; init cannot die before C, so that both are stuck.
byte x;
proctype C(chan q) { if :: q!1; q!1 :: x=1; x=2; x=3; x=4; x=5; x=6; assert(false) fi }
init { chan q = [1] of { int }; run C(q) }
