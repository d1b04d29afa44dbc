// expect: violated assertion
// A process whose only executable option is a d_step that begins with `else` is enabled.
byte x, go;
active proctype P() { if :: go == 1 -> skip :: d_step { else; x = 1 } fi }
active proctype Q() { if :: enabled(0) -> assert(false) :: !enabled(0) -> skip fi }
