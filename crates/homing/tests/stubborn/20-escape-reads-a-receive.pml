/* The main statement reads the guard of its escape. */
chan c = [1] of { byte };
byte x;
active proctype P() { c!1; { c!1; x = 1 } unless { full(c); assert(false) } }
active proctype Q() { byte l; c?l; c?l }
