// expect: violated runtime-error
// Whether P is enabled is a division by zero inside the atomic sequence, where P itself never looks.
byte x = 1;
active proctype P() { end: (7 / x == 8) }
active proctype Q() { atomic { x = 0; if :: enabled(0) :: else fi; x = 1 } }
