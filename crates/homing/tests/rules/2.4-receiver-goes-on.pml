/*
 * 2.4  If the receive is inside an atomic sequence the receiver goes on alone, whether the sender
 * was in one or not.
 *
 * SPIN 6.5.2: states 6, transitions 7, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { atomic { x = 1; c!1; assert(x == 4); x = 5 } }
active proctype Receiver() { atomic { c?1; x = 2; x = 3; x = 4 } }
