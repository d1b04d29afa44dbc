/* A send clashes with a send that lies two private steps ahead. */
chan c = [1] of { byte };
byte got;
active proctype one() { c!1 }
active proctype two() { byte l; l = 1; l = 2; c!2 }
active proctype receiver() { c?got; assert(got == 1) }
