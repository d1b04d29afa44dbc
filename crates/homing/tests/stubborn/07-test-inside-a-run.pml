/* A test inside a run reads both ends: it decides where the run stops. */
chan c = [1] of { byte };
byte x, y;
active proctype P() { atomic { x = 1; nempty(c); y = 1 } }
active proctype sender() { c!1 }
active proctype observer() { x == 1; assert(y == 1) }
