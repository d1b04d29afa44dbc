/*
 * 2.4  A rendezvous send without a partner in the middle of an atomic sequence is blocked: control
 * is lost.
 *
 * SPIN 6.5.2: states 9, transitions 10, errors 0
 */
chan c = [0] of { byte };
byte x;

active proctype Sender() { atomic { x = 1; c!1; x = 2 } }
active proctype Receiver() { x == 1; x = 7; c?1 }
