/*
 * 2.4  After a handshake the receive decides about atomicity: a sender inside an atomic sequence
 * loses control, and the others may move.
 *
 * SPIN 6.5.2: states 8, transitions 10, errors 1, first "assertion violated" after 4, shortest 4
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { atomic { x = 1; c!1; x = 2; x = 3 } }
active proctype Receiver() { c?1; assert(x != 1) }
