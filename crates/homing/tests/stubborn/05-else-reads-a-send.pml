/* `else` reads the end where messages are put. */
chan c = [1] of { byte };
byte x;
active proctype sender() { c!1 }
active proctype receiver() { byte l; if :: c?l :: else -> assert(false) fi }
