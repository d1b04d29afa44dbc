/* The receiver waits for 1, the head is 0, a third process removes it. */
chan c = [2] of { byte };
active proctype receiver() { c?1; assert(false) }
active proctype sender() { c!0; c!1 }
active proctype third() { byte l; l = 1; l = 2; c?0 }
