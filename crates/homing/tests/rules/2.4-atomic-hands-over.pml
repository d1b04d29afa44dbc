/*
 * 2.4  A handshake between two atomic sequences hands control to the receiver; the sender goes on
 * when that one ends or blocks.
 *
 * SPIN 6.5.2: states 5, transitions 5, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype P() { atomic { x = 1; c!1; x = x + 10; assert(x == 13) } }
active proctype Q() { atomic { c?1; x = 2; x = 3 }; x == 13; x = 4 }
active proctype R() { end: x == 2 -> assert(false) }
