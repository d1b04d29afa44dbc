// expect acceptance: violated claim-end length=1
// expect ltl:[]!timeout: violated claim-end length=1
// expect ltl:<>timeout: holds
// No process mentions `timeout`: pan takes it for false then, though nothing can move.
byte x;
active proctype P() { x = 1; x == 5 }
never { do :: timeout -> break :: true od }
