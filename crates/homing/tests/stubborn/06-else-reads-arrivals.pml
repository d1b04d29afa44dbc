/* `else` beside a rendezvous send; the partner arrives one step later. */
chan r = [0] of { byte };
byte x;
active proctype sender() { if :: r!1 :: else -> x = 1; assert(false) fi }
active proctype receiver() { byte l; l = 1; r?l }
