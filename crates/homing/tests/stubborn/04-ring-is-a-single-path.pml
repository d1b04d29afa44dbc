/* One sender and one receiver a channel, with room: a single path. */
chan a = [2] of { byte }; chan b = [2] of { byte }; chan c = [2] of { byte };
active proctype P() { byte l; a!1; a!2; c?l; c?l }
active proctype Q() { byte l; a?l; b!l; a?l; b!l }
active proctype R() { byte l; b?l; c!l; b?l; c!l }
