// expect: violated runtime-error length=1
// The counter is a byte: the d_step comes back to the same state after 256 rounds, in the model itself as well.
byte x;
init { d_step { do :: x++ od } }
