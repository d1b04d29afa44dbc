/* An atomic sequence without end beside an error: it has no step that could stand for the others. */
byte x;
active proctype P() { byte l; atomic { do :: l = 1 - l od } }
active proctype Q() { byte l; l = 1; x = 1; assert(x == 0) }
