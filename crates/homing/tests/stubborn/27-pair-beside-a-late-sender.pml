/* A second sender comes later to the receiver of a pair that can meet now. */
chan r = [0] of { byte };
byte got;
active proctype one() { r!1 }
active proctype two() { byte l; l = 1; l = 2; r!2 }
active proctype receiver() { r?got; assert(got == 1) }
